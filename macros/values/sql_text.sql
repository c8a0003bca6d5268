{#- A text of the configuration as a literal of Spark SQL, whatever is in it. -#}
{% macro sql_text(value) -%}
'{{ value | string | replace("\\", "\\\\") | replace("'", "\\'") }}'
{%- endmacro %}
