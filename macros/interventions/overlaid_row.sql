{#- A row, as a map of column to canonical text, with some of its columns replaced; NULL where there
    is no row. -#}
{% macro overlaid_row(row, values) -%}
    transform_values(
        {{ row }},
        (row_column, row_value) -> if(
            coalesce(map_contains_key({{ values }}, row_column), false),
            {{ values }}[row_column],
            row_value
        )
    )
{%- endmacro %}
