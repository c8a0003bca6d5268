-- Under queued updating a transaction stands or falls as a whole. It is known by the place of its
-- last change.

with

outcomes as (
    select * from {{ ref('change_outcomes') }}
    where not {{ is_intervention() }}
),

queued_publications as (
    select * from {{ ref('configured_publications') }}
    where replication = 'queued'
),

final as (
    select
        outcomes.publication,
        outcomes.transaction_position,
        collect_set(outcomes.outcome) as outcomes
    from outcomes
    inner join queued_publications on outcomes.publication = queued_publications.publication
    group by outcomes.publication, outcomes.transaction_position
    having
        count(distinct outcomes.outcome in ('rejected', 'failed')) > 1
        or count(distinct outcomes.node) > 1
)

select * from final
