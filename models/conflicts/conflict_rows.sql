{{ config(materialized='kept_view') }}

-- One row per conflict and column: the value that lost beside the one that stayed. Conflicts whose
-- loser was a row; lost deletes are in delete_conflict_rows. Those of an article that is configured
-- no more stay until their time is over.

with

conflicts as (
    select * from {{ ref('conflicts_info') }}
    where has_lost_row
),

articles as (select * from {{ ref('configured_articles') }}),

sides as (select * from {{ ref('conflict_sides') }}),

both_sides as (
    select
        conflicts.*,
        sides.lost_row,
        sides.winning_row,
        articles.primary_key
    from conflicts
    inner join sides on conflicts.conflict_id = sides.conflict_id
    left join articles
        on
            conflicts.publication = articles.publication
            and conflicts.article = articles.article
),

-- a row has its columns in the order of its article
columns_of_both as (
    select
        *,
        posexplode(map_keys(lost_row)) as (column_number, colname)
    from both_sides
),

final as (
    select
        conflict_id,
        publication,
        article,
        row_key,
        column_number + 1 as column_number,
        colname,
        array_contains(primary_key, colname) as is_key,
        lost_row[colname] as lost_value,
        winning_row[colname] as winning_value,
        not lost_row[colname] <=> winning_row[colname] as is_different,
        winning_row is null as is_winner_deleted,
        origin_datasource,
        winner_node,
        conflict_type,
        conflict_kind,
        reason_code,
        reason_text,
        create_time
    from columns_of_both
)

select * from final
