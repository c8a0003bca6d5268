-- A conflict that says that it has a losing row has exactly one in its article's conflict table,
-- and no such row is without its conflict. Articles that are not configured any more are left out:
-- their tables are no models.
{{ config(tags=['thorough']) }}

with

articles as (select * from {{ ref('configured_articles') }}),

conflicts as (
    select
        conflicts_info.publication,
        conflicts_info.article,
        conflicts_info.conflict_id
    from {{ ref('conflicts_info') }} as conflicts_info
    left semi join articles
        on
            conflicts_info.publication = articles.publication
            and conflicts_info.article = articles.article
    where conflicts_info.has_lost_row
),

lost_rows as (
    {% for item in article_list() -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        conflict_id
    from {{ ref('conflict_' ~ item.publication ~ '_' ~ item.article) }}
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    select
        cast(null as string) as publication,
        cast(null as string) as article,
        cast(null as string) as conflict_id
    where false
    {%- endfor %}
),

-- one row per conflict: +1 for the conflict, -1 for its row
balance as (
    select
        *,
        1 as difference
    from conflicts
    union all
    select
        *,
        -1 as difference
    from lost_rows
),

final as (
    select
        publication,
        article,
        conflict_id,
        count(*) as row_count,
        sum(difference) as difference
    from balance
    group by publication, article, conflict_id
    having count(*) <> 2 or sum(difference) <> 0
)

select * from final
