{{ config(materialized='kept_view') }}

-- One row per conflict and column: the value that lost beside the one that stayed. Conflicts whose
-- loser was a row; lost deletes are in delete_conflict_rows.

with

conflicts as (select * from {{ ref('conflicts_info') }}),

winners as (select * from {{ ref('conflict_winners') }}),

-- one row per conflict: the row that lost, with the names of its columns in their order
losers as (
    {% for item in article_list() -%}
    select
        conflict_id,
        {{ canonical_row(item.options.columns) | indent(4) }} as lost_row,
        array('{{ item.options.columns | join("', '") }}') as article_columns,
        array('{{ item.options.primary_key | join("', '") }}') as key_columns
    from {{ ref('conflict_' ~ item.publication ~ '_' ~ item.article) }}
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    select
        cast(null as string) as conflict_id,
        cast(null as map<string, string>) as lost_row,
        cast(null as array<string>) as article_columns,
        cast(null as array<string>) as key_columns
    where false
    {%- endfor %}
),

both_sides as (
    select
        losers.*,
        winners.winning_row
    from losers
    left join winners on losers.conflict_id = winners.conflict_id
),

columns_of_both as (
    select
        conflict_id,
        lost_row,
        winning_row,
        key_columns,
        posexplode(article_columns) as (column_number, colname)
    from both_sides
),

final as (
    select
        conflicts.conflict_id,
        conflicts.publication,
        conflicts.article,
        conflicts.row_key,
        columns_of_both.column_number + 1 as column_number,
        columns_of_both.colname,
        array_contains(columns_of_both.key_columns, columns_of_both.colname) as is_key,
        columns_of_both.lost_row[columns_of_both.colname] as lost_value,
        columns_of_both.winning_row[columns_of_both.colname] as winning_value,
        not columns_of_both.lost_row[columns_of_both.colname]
        <=> columns_of_both.winning_row[columns_of_both.colname] as is_different,
        columns_of_both.winning_row is null as is_winner_deleted,
        conflicts.origin_datasource,
        conflicts.winner_node,
        conflicts.conflict_type,
        conflicts.conflict_kind,
        conflicts.reason_code,
        conflicts.reason_text,
        conflicts.create_time
    from columns_of_both
    inner join conflicts on columns_of_both.conflict_id = conflicts.conflict_id
)

select * from final
