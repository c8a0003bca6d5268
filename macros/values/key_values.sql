{#- The key columns of a row, as a map of column to canonical text.

    row: map of column to canonical text.  primary_key: an array of names -#}
{% macro key_values(row, primary_key) -%}
map_from_arrays(
    {{ primary_key }}, transform({{ primary_key }}, key_column -> {{ row }}[key_column])
)
{%- endmacro %}
