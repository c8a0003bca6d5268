{{ config(materialized='kept_view') }}

-- One row per subscription: whether it is active or waits for its reinitialization, and how far its
-- changes have been taken. A mark ends with the report that follows it, as the commands do, also
-- where the queue has not come to the report's place yet.

with

subscriptions as (select * from {{ ref('subscriptions') }}),

events as (select * from {{ ref('subscription_event_log') }}),

outcomes as (select * from {{ ref('change_outcomes') }}),

-- one row per node: the last place of the queue that one of its changes had
nodes as (
    select
        publication,
        node,
        -- what was taken behind a place counts as of that place
        max(least(queue_position, transaction_position)) as last_position
    from outcomes
    where {{ is_decided_change() }}
    group by publication, node
),

-- one row per subscription: the marks that no event has ended yet
marks as (
    select
        outcomes.publication,
        outcomes.node,
        min(outcomes.transaction_position) as reinitialize_since
    from outcomes
    left anti join events
        on
            outcomes.publication = events.publication
            and outcomes.node = events.subscriber
            and events.event = 'reinitialized'
            and outcomes.transaction_position <= events.effective_position
    where outcomes.rule = 'publisher_wins_reinitialize'
    group by outcomes.publication, outcomes.node
),

final as (
    select
        subscriptions.publication,
        subscriptions.subscriber,
        if(marks.node is null, 'active', 'reinitialize') as status,
        marks.reinitialize_since,
        nodes.last_position
    from subscriptions
    left join marks
        on
            subscriptions.publication = marks.publication
            and subscriptions.subscriber = marks.node
    left join nodes
        on
            subscriptions.publication = nodes.publication
            and subscriptions.subscriber = nodes.node
)

select * from final
