{{ config(materialized='kept_view') }}

-- One row per conflict in which a delete lost: it has no data, and so no row in a conflict table.

with

conflicts as (
    select * from {{ ref('conflicts_info') }}
    where not has_lost_row
),

sides as (select * from {{ ref('conflict_sides') }}),

final as (
    select
        conflicts.conflict_id,
        conflicts.publication,
        conflicts.article,
        concat(conflicts.publication, '__', conflicts.article) as source_object,
        conflicts.row_key,
        sides.winning_row,
        conflicts.origin_datasource,
        conflicts.winner_node,
        conflicts.conflict_type,
        conflicts.conflict_kind,
        conflicts.reason_code,
        conflicts.reason_text,
        conflicts.create_time
    from conflicts
    left join sides on conflicts.conflict_id = sides.conflict_id
)

select * from final
