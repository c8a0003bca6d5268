{{ config(materialized='kept_view') }}

-- One row per article that has conflicts: where its rows and those that lost are, and how many
-- conflicts there are. An article that is configured no more may still have some.

with

conflicts as (select * from {{ ref('conflicts_info') }}),

articles as (select * from {{ ref('configured_articles') }}),

counted as (
    select
        publication,
        article,
        count(*) as conflicts,
        count_if(has_lost_row) as lost_rows,
        count_if(not has_lost_row) as lost_deletes,
        array_sort(collect_set(conflict_kind)) as conflict_kinds,
        min(create_time) as first_create_time,
        max(create_time) as last_create_time
    from conflicts
    group by publication, article
),

final as (
    select
        counted.publication,
        counted.article,
        '{{ target.schema }}' as source_owner,
        concat(counted.publication, '__', counted.article) as source_object,
        if(
            counted.lost_rows > 0,
            concat('conflict_', counted.publication, '_', counted.article),
            null
        ) as conflict_table,
        articles.primary_key as key_columns,
        counted.conflicts,
        counted.lost_rows,
        counted.lost_deletes,
        counted.conflict_kinds,
        counted.first_create_time,
        counted.last_create_time
    from counted
    left join articles
        on
            counted.publication = articles.publication
            and counted.article = articles.article
)

select * from final
