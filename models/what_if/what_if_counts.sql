{{ config(materialized='table') }}

-- One row per article, what was decided and what would have been: how many changes.

with

changes as (select * from {{ ref('what_if_changes') }}),

final as (
    select
        publication,
        article,
        decided_outcome,
        decided_conflict_kind,
        what_if_outcome,
        what_if_conflict_kind,
        count(*) as change_count,
        count(distinct transaction_position) as transaction_count,
        count(distinct row_key) as touched_row_count
    from changes
    group by
        publication,
        article,
        decided_outcome,
        decided_conflict_kind,
        what_if_outcome,
        what_if_conflict_kind
)

select * from final
