{#- Who wrote the columns of a row that was written as a whole. -#}
{% macro all_writers(writer) -%}
{{ replication_conflicts.column_writers('map()', writer) }}
{%- endmacro %}
