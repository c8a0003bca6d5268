{{ config(
    materialized='scratch',
    reads='change_queue',
    taking="intake = 'taken' and " ~ is_one_of(
        'publication', publications_with_records()
    ),
    enabled=has_records()
) }}
{%- set held = held_state() -%}
{%- set publications = publications_with_news() -%}

-- Where the rows of logical records belong, as the publisher held them when the run began: one row
-- per row, deleted ones included, with the row at the upper end of its record. A model of its own,
-- because record_rows reads it several times. Only in runs with such changes:
-- {{ ref('change_queue') }}

with

record_articles as (
    {{- record_article_rows() }}
),

published as (
    {{ held_values(
        record_articles() | selectattr('publication', 'in', publications), held
    ) | indent(4) }}
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
                {{ record_parent_key('held_row') | indent(16) }} as parent_key
            from published
        ) as published
        inner join record_articles
            on
                published.publication = record_articles.publication
                and published.article = record_articles.article
    )
),

{% for depth in range(2, record_depth() + 1) -%}
-- ... and further up
led_{{ depth }} as (
    select
        led.publication,
        led.article,
        led.row_key,
        coalesce(above.leads_to_article, led.leads_to_article) as leads_to_article,
        coalesce(above.leads_to_key, led.leads_to_key) as leads_to_key
    from led_{{ depth - 1 }} as led
    left join led_1 as above
        on
            led.publication = above.publication
            and led.leads_to_article = above.article
            and led.leads_to_key = above.row_key
),

{% endfor -%}
final as (
    select
        *,
        '{{ invocation_id }}' as run_id
    from led_{{ [record_depth(), 1] | max }}
)

select * from final
