{#- A failure as a struct. -#}
{% macro failure(code, name) -%}
struct({{ code }} as code, {{ replication_conflicts.sql_text(name) }} as name)
{%- endmacro %}
