{#- Who wrote the columns of a row that was replaced as a whole. -#}
{% macro all_writers(writer) -%}
map_from_arrays(tracked_columns, array_repeat({{ writer }}, size(tracked_columns)))
{%- endmacro %}
