{#- Events of subscriptions as a query of input_facts: a row per subscription and event, which is
    the `value`, without those that earlier runs have taken.

    events: the relation subscription_events
    event_log: the relation subscription_event_log; none before the first run -#}
{% macro event_facts(events, event_log) -%}
select
    {{ replication_conflicts.input_facts("'event'", {
        'publication': 'publication',
        'subscriber': 'subscriber',
        'value': 'event',
        'number': 'count(*)',
        'unreadable': 'max(unreadable)'
    }) }}
from (
    select
        publication,
        subscriber,
        event,
        coalesce(
            {{ replication_conflicts.unreadable_value(
                'subscription_events', 'snapshot_position'
            ) | indent(12) }},
            {{ replication_conflicts.unreadable_value(
                'subscription_events', 'queue_position'
            ) | indent(12) }},
            {{ replication_conflicts.unreadable_value('subscription_events', 'at') | indent(12) }}
        ) as unreadable,
        {{ replication_conflicts.event_id() | indent(8) }} as event_id
    from {{ replication_conflicts.in_one_part(events) }}
) as events
{%- if event_log is not none %}
left anti join {{ event_log }} as event_log on events.event_id = event_log.event_id
{%- endif %}
group by publication, subscriber, event
{%- endmacro %}
