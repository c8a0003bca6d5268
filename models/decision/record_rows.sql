{{ config(
    materialized='scratch',
    reads='change_queue',
    taking="intake = 'taken'",
    enabled=has_records()
) }}
{%- set held = held_state() -%}
{%- set log = none if flags.FULL_REFRESH else held_relation('change_outcomes') -%}

-- The logical records that this run touches, as the publisher held them when the run began: one row
-- per row, deleted ones included.

with

changes as (
    select * from {{ ref('change_queue') }}
    where
        intake = 'taken'
        and run_id = '{{ invocation_id }}'
),

record_articles as (
    {{- record_article_rows() }}
),

published as (
    {% for item in record_articles() -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        '{{ item.settings.publisher }}*' as run_node,
        row_key,
        {{ row_state(
            'row_version', 'version_node', 'version_change_id', 'is_deleted', 'false',
            lineage='lineage', merge_version='merge_version', row='held_row'
        ) | indent(8) }} as held_state
    from (
        {{ held_rows(
            item, held[item.publication ~ '.' ~ item.article], with_values=true
        ) | indent(8) }}
    )
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    select
        cast(null as string) as publication,
        cast(null as string) as article,
        cast(null as string) as run_node,
        cast(null as string) as row_key,
        cast(null as {{ row_state_type() }}) as held_state
    where false
    {%- endfor %}
),

-- one row per row, with the row above it; at the top, and where there is none above, the row itself
led_1 as (
    select
        publication,
        article,
        row_key,
        if(parent_key is null, article, parent) as leads_to_article,
        coalesce(parent_key, row_key) as leads_to_key
    from (
        select
            published.publication,
            published.article,
            published.row_key,
            record_articles.parent,
            published.parent_key
        from (
            select
                *,
                {{ record_parent_key('held_state.row') | indent(16) }} as parent_key
            from published
        ) as published
        inner join record_articles
            on
                published.publication = record_articles.publication
                and published.article = record_articles.article
    )
),

{% for _ in range(2, record_depth() + 1) -%}
-- ... and further up
led_{{ loop.index + 1 }} as (
    select
        led.publication,
        led.article,
        led.row_key,
        coalesce(above.leads_to_article, led.leads_to_article) as leads_to_article,
        coalesce(above.leads_to_key, led.leads_to_key) as leads_to_key
    from led_{{ loop.index }} as led
    left join led_1 as above
        on
            led.publication = above.publication
            and led.leads_to_article = above.article
            and led.leads_to_key = above.row_key
),

{% endfor -%}
{% set led = 'led_' ~ [record_depth(), 1] | max -%}

arriving as (
    select
        changes.publication,
        changes.article,
        changes.row_key,
        record_articles.parent,
        changes.parent_key
    from (
        select
            *,
            {{ record_parent_key('change_row') | indent(12) }} as parent_key
        from changes
    ) as changes
    inner join record_articles
        on
            changes.publication = record_articles.publication
            and changes.article = record_articles.article
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
        led.publication,
        led.leads_to_article,
        led.leads_to_key
    from {{ led }} as led
    inner join arriving
        on
            led.publication = arriving.publication
            and led.article = arriving.article
            and led.row_key = arriving.row_key
    union
    select
        arriving.publication,
        coalesce(led.leads_to_article, arriving.parent) as leads_to_article,
        coalesce(led.leads_to_key, arriving.parent_key) as leads_to_key
    from arriving
    left join {{ led }} as led
        on
            arriving.publication = led.publication
            and arriving.parent = led.article
            and arriving.parent_key = led.row_key
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
    select
        cast(null as string) as publication,
        cast(null as string) as change_id,
        cast(null as string) as operation
    where false
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
            else coalesce(makers.operation, 'insert')
        end as last_operation,
        '{{ invocation_id }}' as run_id
    from published
    inner join {{ led }} as led
        on
            published.publication = led.publication
            and published.article = led.article
            and published.row_key = led.row_key
    inner join touched
        on
            led.publication = touched.publication
            and led.leads_to_article = touched.leads_to_article
            and led.leads_to_key = touched.leads_to_key
    left join makers
        on
            published.publication = makers.publication
            and published.held_state.change_id = makers.change_id
)

select * from final
