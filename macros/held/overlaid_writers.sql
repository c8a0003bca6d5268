{#- Who wrote the columns after a change that writes only some of them. -#}
{% macro overlaid_writers(held) -%}
transform_values(
        {{ held }}.merge_version.column_writers,
        (written_column, writer) -> if(array_contains(standing_columns, written_column), own_writer, writer)
    )
{%- endmacro %}
