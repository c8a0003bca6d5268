-- The decision log read as a reader does that takes one change at a time: before every decision the
-- publisher holds what the last written change of the row left, or the initial row. A written
-- change starts from there; any other leaves it in place.
{{ config(tags=['thorough']) }}

with

-- images of rows of logical records decide nothing
outcomes as (
    select * from {{ ref('change_outcomes') }}
    where operation <> 'image'
),

-- one row per row of an initial snapshot
initial_rows as (
    {% for item in article_list() if item.options.get('initial_snapshot') -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        {{ row_key(item.options.primary_key, item.options.columns) }} as row_key,
        row_version
    from {{ source('initial', item.publication ~ '__' ~ item.article) }}
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    select
        cast(null as string) as publication,
        cast(null as string) as article,
        cast(null as string) as row_key,
        cast(null as string) as row_version
    where false
    {%- endfor %}
),

-- one row per change: the last version that was written before it
followed as (
    select
        publication,
        article,
        row_key,
        change_id,
        is_written,
        held_version,
        publisher_version,
        last_value(if(is_written, struct(publisher_version as version), null), true) over (
            partition by publication, article, row_key
            order by {{ decision_order() }}
            rows between unbounded preceding and 1 preceding
        ) as written_before
    from outcomes
),

final as (
    select
        followed.publication,
        followed.article,
        followed.row_key,
        followed.change_id,
        if(
            followed.written_before is null,
            initial_rows.row_version,
            followed.written_before.version
        ) as expected_version,
        if(
            followed.is_written, followed.held_version, followed.publisher_version
        ) as recorded_version
    from followed
    left join initial_rows
        on
            followed.publication = initial_rows.publication
            and followed.article = initial_rows.article
            and followed.row_key = initial_rows.row_key
)

select * from final
where not expected_version <=> recorded_version
