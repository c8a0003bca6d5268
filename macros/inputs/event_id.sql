{#- What an event of a subscription is known by, over the columns of the relation
    subscription_events: what it says, whether its values come as text or not. -#}
{% macro event_id() -%}
md5(to_json(struct(
    publication,
    subscriber,
    event,
    {{ replication_conflicts.input_value('subscription_events', 'snapshot_position') }}
        as snapshot_position,
    {{ replication_conflicts.input_value('subscription_events', 'queue_position') }}
        as queue_position,
    cast({{ replication_conflicts.input_value('subscription_events', 'at') }} as string)
        as reported_at
)))
{%- endmacro %}
