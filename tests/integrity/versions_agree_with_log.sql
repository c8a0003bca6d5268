-- The versions tables hold, of every row, the version that the decision log made last. A tombstone
-- may have been forgotten. Articles that are not configured any more are left out: their tables are
-- no models.
{{ config(tags=['thorough']) }}

with

articles as (select * from {{ ref('configured_articles') }}),

outcomes as (
    select change_outcomes.*
    from {{ ref('change_outcomes') }} as change_outcomes
    left semi join articles
        on
            change_outcomes.publication = articles.publication
            and change_outcomes.article = articles.article
    where change_outcomes.is_written
),

-- one row per row that a run has changed
newest as (
    select
        publication,
        article,
        row_key,
        max_by(
            struct(publisher_version as row_version, version_change_id),
            {{ decision_order() }}
        ) as version
    from outcomes
    group by publication, article, row_key
),

-- one row per row that a run has changed, as its versions table has it
recorded as (
    {% for item in article_list() -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        row_key,
        row_version,
        version_change_id,
        is_deleted
    from {{ ref(item.publication ~ '__' ~ item.article ~ '__versions') }}
    where run_sequence > 0
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    select
        cast(null as string) as publication,
        cast(null as string) as article,
        cast(null as string) as row_key,
        cast(null as string) as row_version,
        cast(null as string) as version_change_id,
        cast(null as boolean) as is_deleted
    where false
    {%- endfor %}
),

final as (
    select
        coalesce(newest.publication, recorded.publication) as publication,
        coalesce(newest.article, recorded.article) as article,
        coalesce(newest.row_key, recorded.row_key) as row_key,
        newest.version.row_version as version_in_log,
        recorded.row_version as recorded_version
    from newest
    full outer join recorded
        on
            newest.publication = recorded.publication
            and newest.article = recorded.article
            and newest.row_key = recorded.row_key
    where
        not newest.version.version_change_id <=> recorded.version_change_id
        and not (recorded.row_key is null and newest.version.row_version is null)
        or not newest.version.row_version <=> recorded.row_version
        or recorded.is_deleted <> (recorded.row_version is null)
)

select * from final
