{#- One row per article of a logical record, as a query. -#}
{% macro record_article_rows() -%}
{%- for one in replication_conflicts.record_articles() %}
    select
        '{{ one.publication }}' as publication,
        '{{ one.article }}' as article,
        '{{ one.record }}' as record,
        {{ one.depth }} as depth,
        {{ "'" ~ one.parent ~ "'" if one.parent else 'cast(null as string)' }} as parent,
        {{ one.detection | lower }} as is_detected_whole,
        {{ one.resolution | lower }} as is_resolved_whole,
        {{ (one.options.get('tracking', 'row') == 'column') | lower }} as is_column_tracked,
        {{ one.options.get('compensate_for_errors', false) | lower }} as is_compensated,
        array('{{ replication_conflicts.tracked_columns(one.options) | join("', '") }}') as record_columns,
        {% if one.options.get('row_filter') -%}
        array({{ replication_conflicts.sql_texts(one.options.row_filter) }}) as filtered_subscribers
        {%- else -%}
        cast(null as array<string>) as filtered_subscribers
        {%- endif %}
    {%- if not loop.last %}
    union all
    {%- endif %}
{%- endfor %}
{%- endmacro %}
