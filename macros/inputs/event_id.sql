{#- What an event of a subscription is known by, over the columns of the relation subscription_events: what it says. -#}
{% macro event_id() -%}
md5(to_json(struct(publication, subscriber, event, snapshot_position, queue_position, cast(at as string) as reported_at)))
{%- endmacro %}
