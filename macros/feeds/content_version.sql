{#- The version of a row image where rows carry none: a hash of all its columns. NULL is not an
    empty text, and no two rows look alike because of where one value ends and the next begins. A
    value that two tools write differently is the same value once it has the article's type. Columns
    without a value do not count, nor does the order of columns: a row keeps its version where its
    article gets a column.

    values: column name to an SQL expression of the article's type.  columns: column name to
    type. -#}
{% macro content_version(values, columns) -%}
    sha2(to_json(struct(
        {%- for column, data_type in columns | dictsort %}
        {{ replication_conflicts.canonical_text(values[column], data_type) }}
            as {{ adapter.quote(column | lower) }}
        {%- if not loop.last -%},{%- endif -%}
        {%- endfor %}
    ), map('ignoreNullFields', 'true')), 256)
{%- endmacro %}
