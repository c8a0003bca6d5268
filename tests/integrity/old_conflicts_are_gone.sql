-- No conflict is kept for longer than its publication asks. Their losing rows go with them: see
-- lost_rows_are_kept.

with

retention as (
    select
        publication,
        max(first_kept_position) as first_kept_position
    from {{ ref('conflict_retention') }}
    group by publication
),

final as (
    select
        conflicts.publication,
        conflicts.conflict_id,
        conflicts.transaction_position,
        retention.first_kept_position
    from {{ ref('conflicts_info') }} as conflicts
    inner join retention on conflicts.publication = retention.publication
    where conflicts.transaction_position < retention.first_kept_position
)

select * from final
