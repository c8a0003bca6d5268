{{ config(materialized='scratch', reads='change_queue', taking="intake = 'taken'") }}
{%- set held = held_state() -%}
{%- set with_keys = articles_with_keys() -%}
{%- set news = publications_with_news() if with_keys else [] -%}
{%- set articles = with_keys | selectattr('publication', 'in', news) | list -%}
{%- set composed = composed_keys() -%}
{%- set open_columns = [] -%}
{%- for key, indexes in composed.items() -%}
    {%- for index in indexes -%}
        {%- do open_columns.append(key ~ '.' ~ index) -%}
    {%- endfor -%}
{%- endfor %}

-- Published rows that this run does not change, and that hold a unique key, or the other end of a
-- foreign key, that its changes touch, or that a row may have which the run puts together from
-- several of them or from an edit of people: one row per row and key. Empty where no article has
-- such keys.

with

changes as (
    select * from {{ ref('change_queue') }}
    where
        intake = 'taken'
        and run_id = '{{ invocation_id }}'
),

{% if articles -%}
-- one row per key that a change has, or takes away, or that a row of a logical record has, which
-- the run itself may delete
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
        {%- if has_records() %}
        union all
        select
            publication,
            explode({{ key_facts('held_state.row') | indent(12) }}) as key_fact
        from {{ ref('record_rows') }}
        where
            run_id = '{{ invocation_id }}'
            and not held_state.is_deleted
        {%- endif %}
    )
),

-- one row per published row and key
published as (
    {% for item in articles -%}
    select
        publication,
        article,
        row_key,
        inline({{ article_key_facts(item, 'held_row') }})
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

{% if composed -%}
-- one row per value of a single column of a key that a change has, or takes away
touched_parts as (
    select distinct
        publication,
        key_part.constraint_id,
        key_part.column_index,
        key_part.value
    from (
        select
            publication,
            explode(
                array_union(
                    {{ key_parts('change_row') | indent(20) }},
                    {{ key_parts('held_before_run.row') | indent(20) }}
                )
            ) as key_part
        from changes
    )
),

-- one row per published row and key whose columns all have a value that a change has, the one in
-- this column, the other in that one; what a resolver may compute has any value
possible as (
    select
        parts.publication,
        parts.article,
        parts.row_key,
        parts.constraint_id,
        parts.role,
        parts.value
    from (
        select
            *,
            posexplode(from_json(value, 'array<string>')) as (column_index, part)
        from published
        where {{ is_one_of("concat(publication, '.', constraint_id)", composed | list) }}
    ) as parts
    left semi join touched_parts as touched_keys
        on
            parts.publication = touched_keys.publication
            and parts.constraint_id = touched_keys.constraint_id
    left join touched_parts
        on
            parts.publication = touched_parts.publication
            and parts.constraint_id = touched_parts.constraint_id
            and parts.column_index = touched_parts.column_index
            and parts.part = touched_parts.value
    group by
        parts.publication,
        parts.article,
        parts.row_key,
        parts.constraint_id,
        parts.role,
        parts.value
    having
        bool_and(
            touched_parts.value is not null
            or {{ is_one_of(
                "concat_ws('.', parts.publication, parts.constraint_id, parts.column_index)",
                open_columns
            ) }}
        )
),

{% endif -%}
met as (
    select published.*
    from published
    inner join touched
        on
            published.publication = touched.publication
            and published.constraint_id = touched.constraint_id
            and published.value = touched.value
    {%- if composed %}
    union distinct
    select * from possible
    {%- endif %}
),

untouched as (
    select met.*
    from met
    left anti join changes
        on
            met.publication = changes.publication
            and met.article = changes.article
            and met.row_key = changes.row_key
    {%- if has_records() %}
    -- the run itself may replace rows of a logical record
    left anti join {{ ref('record_rows') }} as record_rows
        on
            met.publication = record_rows.publication
            and met.article = record_rows.article
            and met.row_key = record_rows.row_key
            and record_rows.run_id = '{{ invocation_id }}'
    {%- endif %}
),
{% else -%}
untouched as (
    {{ empty_relation({
        'publication': 'string', 'article': 'string', 'row_key': 'string',
        'constraint_id': 'string', 'role': 'string', 'value': 'string'
    }) | indent(4) }}
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
