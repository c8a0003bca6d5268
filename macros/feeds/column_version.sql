{#- The version of a row from a column that the application keeps, such as a counter, a GUID or the
    time of the last change, as text: the canonical text of the article's type where it is a column
    of the article, so that two tools may write it differently; otherwise its text as it comes,
    bytes in hexadecimal digits.

    field: SQL expression, the column in the row image.  columns, units: as in image_fits. -#}
{% macro column_version(field, version_column, columns, units) -%}
    {%- if version_column in columns -%}
        {{ replication_conflicts.canonical_text(
            replication_conflicts.image_value(
                field, columns[version_column], units[version_column]
            ),
            columns[version_column]
        ) }}
    {%- else -%}
        if(typeof({{ field }}) = 'binary', hex({{ field }}), cast({{ field }} as string))
    {%- endif -%}
{%- endmacro %}
