-- Whatever a subscriber inserted or updated and did not get through is a conflict with its losing
-- row: nothing is lost.

with

outcomes as (
    select * from {{ ref('change_outcomes') }}
    where not {{ is_intervention() }}
),

final as (
    select
        publication,
        change_id,
        outcome,
        operation,
        conflict_id
    from outcomes
    where
        (
            outcome in ('rejected', 'failed')
            and operation in ('insert', 'update')
            and (conflict_id is null or not loser_change_id <=> change_id)
        )
        -- who wins has beaten somebody
        or (outcome = 'won' and (conflict_id is null or not winner_change_id <=> change_id))
        -- a conflict has both sides and a type
        or (
            conflict_id is not null
            and (
                conflict_type is null
                or conflict_kind is null
                or loser_node is null
                or winner_node is null
            )
        )
)

select * from final
