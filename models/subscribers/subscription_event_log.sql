{{ config(
    materialized='ledger',
    news={'model': 'subscription_events', 'where': 'true'},
    full_refresh=false
) }}

-- What subscribers reported, each with its place in the queue. The place of an event that names
-- none depends on the run that first sees it; it is written down here, and a full refresh leaves it
-- alone and uses it.
-- Nothing is written before the subscriptions and events have been checked:
-- {{ ref('incoming_changes') }}

with

events as (select * from {{ ref('subscription_events') }}),

known as (
    {% if held_relation('subscription_event_log') is not none -%}
    select event_id from {{ source('held', 'subscription_event_log') }}
    {%- else -%}
    {{ empty_relation({'event_id': 'string'}) | indent(4) }}
    {%- endif %}
),

-- one row per publication: the last place of the queue that a run has taken
last_positions as (
    {% if held_relation('change_outcomes') is not none -%}
    select
        publication,
        max(transaction_position) as last_position
    from {{ source('held', 'change_outcomes') }}
    where not {{ is_intervention() }}
    group by publication
    {%- else -%}
    {{ empty_relation({'publication': 'string', 'last_position': 'bigint'}) | indent(4) }}
    {%- endif %}
),

identified as (
    select
        publication,
        subscriber,
        event,
        {{ input_value('subscription_events', 'snapshot_position') }} as snapshot_position,
        {{ input_value('subscription_events', 'queue_position') }} as queue_position,
        {{ input_value('subscription_events', 'at') }} as reported_at,
        {{ event_id() | indent(8) }} as event_id
    from events
),

final as (
    select distinct
        identified.event_id,
        identified.publication,
        identified.subscriber,
        identified.event,
        identified.snapshot_position,
        -- the changes behind this place of the queue come after the event; what has been taken
        -- already was taken before it
        coalesce(
            greatest(identified.queue_position, last_positions.last_position), {{ before_queue() }}
        ) as effective_position,
        identified.reported_at,
        '{{ invocation_id }}' as run_id
    from identified
    left anti join known on identified.event_id = known.event_id
    left join last_positions on identified.publication = last_positions.publication
)

select * from final
