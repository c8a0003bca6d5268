{{ config(materialized='view') }}

-- One row per article that has conflicts: where its rows and those that lost are, and how many
-- conflicts there are.

with

conflicts as (select * from {{ ref('conflicts_info') }}),

-- one row per article: its published rows, and its conflict table
articles as (
    {% for item in article_list() -%}
    {%- set rows = ref(item.publication ~ '__' ~ item.article) -%}
    {%- set lost_rows = ref('conflict_' ~ item.publication ~ '_' ~ item.article) -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        '{{ rows.schema }}' as source_owner,
        '{{ rows.identifier }}' as source_object,
        '{{ lost_rows.identifier }}' as conflict_table,
        array('{{ item.options.primary_key | join("', '") }}') as key_columns
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    select
        cast(null as string) as publication,
        cast(null as string) as article,
        cast(null as string) as source_owner,
        cast(null as string) as source_object,
        cast(null as string) as conflict_table,
        cast(null as array<string>) as key_columns
    where false
    {%- endfor %}
),

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
        articles.publication,
        articles.article,
        articles.source_owner,
        articles.source_object,
        if(counted.lost_rows > 0, articles.conflict_table, null) as conflict_table,
        articles.key_columns,
        counted.conflicts,
        counted.lost_rows,
        counted.lost_deletes,
        counted.conflict_kinds,
        counted.first_create_time,
        counted.last_create_time
    from counted
    inner join articles
        on
            counted.publication = articles.publication
            and counted.article = articles.article
)

select * from final
