{{ config(materialized='view') }}

-- One row per conflict in which a delete lost: it has no data, and so no row in a conflict table.

with

conflicts as (
    select * from {{ ref('conflicts_info') }}
    where not has_lost_row
),

-- one row per conflict: what the publisher held when it was decided
winners as (
    select
        conflict_id,
        {{ winning_row() | indent(4) }} as winning_row
    from {{ ref('change_outcomes') }}
    where conflict_id is not null
),

articles as (
    {% for item in article_list() -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        '{{ ref(item.publication ~ '__' ~ item.article).identifier }}' as source_object
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    select
        cast(null as string) as publication,
        cast(null as string) as article,
        cast(null as string) as source_object
    where false
    {%- endfor %}
),

final as (
    select
        conflicts.conflict_id,
        conflicts.publication,
        conflicts.article,
        articles.source_object,
        conflicts.row_key,
        winners.winning_row,
        conflicts.origin_datasource,
        conflicts.winner_node,
        conflicts.conflict_type,
        conflicts.conflict_kind,
        conflicts.reason_code,
        conflicts.reason_text,
        conflicts.create_time
    from conflicts
    inner join articles
        on
            conflicts.publication = articles.publication
            and conflicts.article = articles.article
    left join winners on conflicts.conflict_id = winners.conflict_id
)

select * from final
