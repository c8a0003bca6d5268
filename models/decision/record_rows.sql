{{ config(materialized='scratch', reads='record_paths', enabled=has_records()) }}
{%- set held = held_state() -%}
{%- set publications = publications_with_news() -%}
{%- set log = continued_log() -%}

-- The logical records that this run touches, as the publisher held them when the run began: one row
-- per row, deleted ones included.

with

changes as (
    select * from {{ ref('change_queue') }}
    where
        intake = 'taken'
        and run_id = '{{ invocation_id }}'
),

paths as (
    select * from {{ ref('record_paths') }}
    where run_id = '{{ invocation_id }}'
),

record_articles as (
    {{- record_article_rows() }}
),

published as (
    {% for item in record_articles() if item.publication in publications -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        {{ run_node(sql_text(item.settings.publisher)) }} as run_node,
        row_key,
        {{ held_row_state(item.publication, with_values=true) | indent(4) }} as held_state
    from (
        {{ held_rows(
            item, held[item.publication ~ '.' ~ item.article], with_values=true
        ) | indent(8) }}
    )
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    {{ empty_relation({
        'publication': 'string', 'article': 'string', 'run_node': 'string', 'row_key': 'string',
        'held_state': row_state_type()
    }) | indent(4) }}
    {%- endfor %}
),

-- one row per change: the row that it brings, and the one that it left. A person edits some columns
-- of the row that is held
brought as (
    select
        *,
        {{ edited_row(
            'held_before_run.row', otherwise='change_row'
        ) | indent(4) }} as row_brought,
        {{ left_row() | indent(8) }} as row_left
    from changes
),

-- one row per change: the keys of the rows above these
below as (
    select
        *,
        {{ record_parent_key('row_brought') | indent(8) }} as parent_key,
        {{ record_parent_key('row_left') | indent(8) }} as left_parent_key
    from brought
),

-- one row per change and row above it
arriving as (
    select
        below.publication,
        below.article,
        below.row_key,
        record_articles.parent,
        explode(array_distinct(array(below.parent_key, below.left_parent_key))) as parent_key
    from below
    inner join record_articles
        on
            below.publication = record_articles.publication
            and below.article = record_articles.article
),

-- one row per row at the upper end of a record that a change may touch: by its own row, by what is
-- held of it, and by the row above it
touched as (
    select
        publication,
        article as leads_to_article,
        row_key as leads_to_key
    from arriving
    union
    select
        paths.publication,
        paths.leads_to_article,
        paths.leads_to_key
    from paths
    inner join arriving
        on
            paths.publication = arriving.publication
            and paths.article = arriving.article
            and paths.row_key = arriving.row_key
    union
    select
        arriving.publication,
        coalesce(paths.leads_to_article, arriving.parent) as leads_to_article,
        coalesce(paths.leads_to_key, arriving.parent_key) as leads_to_key
    from arriving
    left join paths
        on
            arriving.publication = paths.publication
            and arriving.parent = paths.article
            and arriving.parent_key = paths.row_key
    where arriving.parent_key is not null
),

-- what made the versions that are held
makers as (
    {% if log -%}
    select
        publication,
        change_id,
        operation
    from {{ source('held', 'change_outcomes') }}
    where is_written
    {%- else -%}
    {{ empty_relation({
        'publication': 'string', 'change_id': 'string', 'operation': 'string'
    }) | indent(4) }}
    {%- endif %}
),

final as (
    select
        published.publication,
        published.article,
        published.row_key,
        published.held_state,
        case
            when published.held_state.is_deleted then 'delete'
            when published.held_state.node = published.run_node then 'update'
            -- nobody has inserted the rows that a publication began with
            else coalesce(makers.operation, 'update')
        end as last_operation,
        '{{ invocation_id }}' as run_id
    from published
    inner join paths
        on
            published.publication = paths.publication
            and published.article = paths.article
            and published.row_key = paths.row_key
    inner join touched
        on
            paths.publication = touched.publication
            and paths.leads_to_article = touched.leads_to_article
            and paths.leads_to_key = touched.leads_to_key
    left join makers
        on
            published.publication = makers.publication
            and published.held_state.change_id = makers.change_id
)

select * from final
