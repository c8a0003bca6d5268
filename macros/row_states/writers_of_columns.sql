{#- Merge replication: columns with their last writers, map<string,row_writer>; a column that the
    row did not have when it was written has none. `columns`: an array of names without repetition.
    `writers`: as of column_writers_type -#}
{% macro writers_of_columns(columns, writers) -%}
    map_filter(
        map_from_arrays(
            {{ columns }},
            transform(
                {{ columns }},
                column_of_row
                -> coalesce({{ writers }}.named[column_of_row], {{ writers }}.others)
            )
        ),
        (column_of_row, writer) -> writer is not null
    )
{%- endmacro %}
