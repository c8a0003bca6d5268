{{ config(materialized='scratch', reads='change_queue', taking="intake = 'taken'") }}
{%- set held = held_state() -%}
{%- set articles = articles_with_keys() %}

-- Published rows that this run does not change, and that hold a unique key, or the other end of a
-- foreign key, that its changes touch: one row per row and key. Empty where no article has such
-- keys.

with

changes as (
    select * from {{ ref('change_queue') }}
    where
        intake = 'taken'
        and run_id = '{{ invocation_id }}'
),

{% if articles -%}
-- one row per key that a change has, or takes away
touched as (
    select distinct
        publication,
        key_fact.constraint_id,
        key_fact.value
    from (
        select
            publication,
            explode(
                array_union(
                    {{ key_facts('change_row') | indent(20) }},
                    {{ key_facts('held_before_run.row') | indent(20) }}
                )
            ) as key_fact
        from changes
    )
),

-- one row per published row and key
published as (
    {% for item in articles -%}
    select
        publication,
        article,
        row_key,
        inline({{ key_facts('held_row') | indent(8) }})
    from (
        select
            '{{ item.publication }}' as publication,
            '{{ item.article }}' as article,
            row_key,
            held_row
        from (
            {{ held_rows(
                item, held[item.publication ~ '.' ~ item.article], with_values=true
            ) | indent(12) }}
        )
        where not is_deleted
    )
    {% if not loop.last %}union all
    {% endif -%}
    {%- endfor %}
),

untouched as (
    select published.*
    from published
    inner join touched
        on
            published.publication = touched.publication
            and published.constraint_id = touched.constraint_id
            and published.value = touched.value
    left anti join changes
        on
            published.publication = changes.publication
            and published.article = changes.article
            and published.row_key = changes.row_key
    {%- if has_records() %}
    -- the run itself may replace rows of a logical record
    left anti join {{ ref('record_rows') }} as record_rows
        on
            published.publication = record_rows.publication
            and published.article = record_rows.article
            and published.row_key = record_rows.row_key
            and record_rows.run_id = '{{ invocation_id }}'
    {%- endif %}
),
{% else -%}
untouched as (
    select
        publication,
        article,
        row_key,
        cast(null as string) as constraint_id,
        cast(null as string) as role,
        cast(null as string) as value
    from changes
    where false
),
{% endif %}
final as (
    select
        publication,
        article,
        row_key,
        constraint_id,
        role,
        value,
        '{{ invocation_id }}' as run_id
    from untouched
)

select * from final
