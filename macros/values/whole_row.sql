{#- A row of the decision log with all columns that its article has now: one that the article
    has got since has no value in it. NULL where there is no row. One that has them all is left
    as it is.

    row: map of column to canonical text.  columns: an array of names -#}
{% macro whole_row(row, columns) -%}
if(
    {{ row }} is not null and size({{ row }}) < size({{ columns }}),
    map_from_arrays(
        {{ columns }}, transform({{ columns }}, column_of_row -> {{ row }}[column_of_row])
    ),
    {{ row }}
)
{%- endmacro %}
