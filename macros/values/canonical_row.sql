{#- A row as map<string,string>: column name to canonical text, in the order of the
    configuration. -#}
{% macro canonical_row(columns) -%}
map(
    {%- for column, data_type in columns.items() %}
        '{{ column }}', {{ replication_conflicts.canonical_text(adapter.quote(column), data_type) }}
        {%- if not loop.last -%},{%- endif -%}
    {%- endfor %}
    )
{%- endmacro %}
