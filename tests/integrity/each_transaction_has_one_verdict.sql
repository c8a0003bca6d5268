-- Under queued updating a transaction stands or falls as a whole. It is known by its node, its id
-- and the place of its last change; a change without a transaction stands alone. That two of them
-- have one place is bad input, which stops nothing: see places_are_unique.

with

outcomes as (
    select * from {{ ref('change_outcomes') }}
    where
        {{ is_tested(ref('change_outcomes')) }}
        and not {{ is_intervention() }}
),

queued_publications as (
    select * from {{ ref('configured_publications') }}
    where replication = 'queued'
),

final as (
    select
        outcomes.publication,
        outcomes.transaction_position,
        outcomes.node,
        outcomes.transaction_id,
        collect_set(outcomes.outcome) as outcomes
    from outcomes
    inner join queued_publications on outcomes.publication = queued_publications.publication
    group by
        outcomes.publication,
        outcomes.transaction_position,
        outcomes.node,
        outcomes.transaction_id,
        if(outcomes.transaction_id is null, outcomes.change_id, null)
    having count(distinct outcomes.outcome in ('rejected', 'failed')) > 1
)

select * from final
