{#- One row per article of a logical record, as a query. -#}
{% macro record_article_rows() -%}
    select *
    from values
    {%- for one in replication_conflicts.record_articles() %}
        (
            '{{ one.publication }}',
            '{{ one.article }}',
            '{{ one.record }}',
            {{ one.depth }},
            {{ "'" ~ one.parent ~ "'" if one.parent else 'cast(null as string)' }},
            {{ one.detection | lower }},
            {{ one.resolution | lower }},
            {{ (one.options.get('tracking', 'row') == 'column') | lower }},
            {{ one.options.get('compensate_for_errors', false) | lower }},
            array('{{ replication_conflicts.tracked_columns(one.options) | join("', '") }}'),
            {% if one.options.get('row_filter') -%}
            array({{ replication_conflicts.sql_texts(one.options.row_filter) }})
            {%- else -%}
            cast(null as array<string>)
            {%- endif %}
        ){{ ',' if not loop.last }}
    {%- endfor %}
    as record_articles (
        publication,
        article,
        record,
        depth,
        parent,
        is_detected_whole,
        is_resolved_whole,
        is_column_tracked,
        is_compensated,
        record_columns,
        filtered_subscribers
    )
{%- endmacro %}
