-- The published rows made a second time, from the decision log and the initial snapshot alone: of
-- every row what the last written change left, where that is a row, else the initial row. Rows are
-- compared whole, as canonical text.
{{ config(tags=['thorough']) }}

with

articles as (select * from {{ ref('configured_articles') }}),

-- one row per row that a run has written: what it holds after that
last_written as (
    select
        publication,
        article,
        row_key,
        max_by(
            struct(publisher_version as row_version, {{ winning_row() | indent(8) }} as row_values),
            {{ decision_order() }}
        ) as published
    from {{ ref('change_outcomes') }}
    where is_written
    group by publication, article, row_key
),

initial_rows as (
    {% for item in article_list() if item.options.get('initial_snapshot') -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        {{ row_key(item.options.primary_key, item.options.columns) }} as row_key,
        row_version,
        {{ canonical_row(item.options.columns) }} as row_values
    from {{ source('initial', item.publication ~ '__' ~ item.article) }}
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    select
        cast(null as string) as publication,
        cast(null as string) as article,
        cast(null as string) as row_key,
        cast(null as string) as row_version,
        cast(null as map<string, string>) as row_values
    where false
    {%- endfor %}
),

replayed as (
    select
        last_written.publication,
        last_written.article,
        last_written.published.row_version,
        to_json(
            {{ whole_row('last_written.published.row_values', 'articles.column_names') | indent(12) }}
        ) as row_text
    from last_written
    inner join articles
        on
            last_written.publication = articles.publication
            and last_written.article = articles.article
    where last_written.published.row_version is not null
    union all
    select
        initial_rows.publication,
        initial_rows.article,
        initial_rows.row_version,
        to_json(initial_rows.row_values) as row_text
    from initial_rows
    left anti join last_written
        on
            initial_rows.publication = last_written.publication
            and initial_rows.article = last_written.article
            and initial_rows.row_key = last_written.row_key
),

published as (
    {% for item in article_list() -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        row_version,
        to_json({{ canonical_row(item.options.columns) }}) as row_text
    from {{ ref(item.publication ~ '__' ~ item.article) }}
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    select
        cast(null as string) as publication,
        cast(null as string) as article,
        cast(null as string) as row_version,
        cast(null as string) as row_text
    where false
    {%- endfor %}
),

-- +1 for a row that is published, -1 for a row that should be
balance as (
    select
        *,
        1 as difference
    from published
    union all
    select
        *,
        -1 as difference
    from replayed
),

final as (
    select
        publication,
        article,
        row_version,
        row_text,
        sum(difference) as difference
    from balance
    group by publication, article, row_version, row_text
    having sum(difference) <> 0
)

select * from final
