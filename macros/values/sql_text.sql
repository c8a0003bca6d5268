{#- A text of the configuration as a literal of Spark SQL, whatever is in it, on one line: where SQL
    is put together its lines are indented. -#}
{% macro sql_text(value) -%}
'{{
    value | string
    | replace("\\", "\\\\") | replace("'", "\\'") | replace("\n", "\\n") | replace("\r", "\\r")
}}'
{%- endmacro %}
