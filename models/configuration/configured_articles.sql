{{ config(materialized='kept_view') }}
{%- do check_configuration() %}

-- one row per article of a publication
select *
from values
{%- for item in article_list() %}
    (
        '{{ item.publication }}',
        '{{ item.article }}',
        array('{{ item.options.primary_key | join("', '") }}'),
        array('{{ item.options.columns | join("', '") }}'),
        {{ article_depth(item.publication, item.article) }},
        '{{ item.options.get('conflict_logging', 'both') }}',
        array('{{ tracked_columns(item.options) | join("', '") }}'),
        {{ item.options.get('compensate_for_errors', false) | lower }},
        {% if item.options.get('row_filter') -%}
        array({{ sql_texts(item.options.row_filter) }}),
        {%- else -%}
        cast(null as array<string>),
        {%- endif %}
        {{ ((item.options.get('resolver') or {}).get('name') != 'upload_only') | lower }}
    ){{ ',' if not loop.last }}
{%- else %}
    (
        cast(null as string),
        cast(null as string),
        cast(null as array<string>),
        cast(null as array<string>),
        cast(null as int),
        cast(null as string),
        cast(null as array<string>),
        cast(null as boolean),
        cast(null as array<string>),
        cast(null as boolean)
    )
{%- endfor %}
as configured (
    publication,
    article,
    primary_key,
    column_names,
    depth,
    conflict_logging,
    tracked_columns,
    compensate_for_errors,
    filtered_subscribers,
    is_downloaded
)
where publication is not null
