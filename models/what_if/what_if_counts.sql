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
        count(*) as changes,
        count(distinct transaction_position) as transactions,
        count(distinct row_key) as rows_touched
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
