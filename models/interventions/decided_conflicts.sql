{{ config(
    materialized='ledger',
    news={'model': 'intervention_log', 'where': "kind <> 'refused_command'"},
    optional=true,
    unique_key='change_id'
) }}

-- The decision log of people: one row per decision that has been taken, with what became of it, and
-- both rows as the conflict had them. One that the table has is replaced: a full refresh that left
-- this model out has decided it anew.

with

interventions as (select * from {{ ref('intervention_log') }}),

outcomes as (
    select * from {{ ref('change_outcomes') }}
    where
        {{ is_decision() }}
        and run_sequence > {{ last_run_taken() }}
),

final as (
    select
        interventions.conflict_id,
        interventions.publication,
        interventions.article,
        interventions.row_key,
        interventions.kind as decision,
        interventions.edited,
        interventions.author,
        interventions.reason,
        outcomes.outcome,
        interventions.lost_row,
        interventions.won_row,
        interventions.loser.node as loser_node,
        outcomes.publisher_version,
        interventions.intervention_id as change_id,
        outcomes.transaction_position as queue_position,
        interventions.first_seen_at,
        outcomes.decided_at,
        outcomes.run_sequence
    from outcomes
    inner join interventions
        on
            outcomes.publication = interventions.publication
            and outcomes.change_id = interventions.intervention_id
)

select * from final
