{#- The version of a row image where rows carry none: a hash of all its columns. NULL is not an empty text, and no two
    rows look alike because of where one value ends and the next begins. A value that two tools write differently is the
    same value once it has the article's type.

    values: column name to an SQL expression of the article's type.  columns: column name to type. -#}
{% macro content_version(values, columns) -%}
    sha2(to_json(array(
        {%- for column, data_type in columns.items() %}
        {{ replication_conflicts.canonical_text(values[column], data_type) }}
        {%- if not loop.last -%},{%- endif -%}
        {%- endfor %}
    )), 256)
{%- endmacro %}
