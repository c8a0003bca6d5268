{#- A row image whose fields are columns of a relation, as the last columns of a select: is_fit
    (image_fits), with a version_column image_version, and for every column of the article value_<n>
    of its type, n counted from 1 in the article's order.

    columns: column name to type.  units: what timestamp_units gives. -#}
{% macro typed_image(columns, units, version_column=none) -%}
{%- set fields = {} -%}
{%- for column in columns -%}
    {%- do fields.update({column: adapter.quote(column)}) -%}
{%- endfor -%}
{{ replication_conflicts.image_fits(fields, columns, units) }} as is_fit,
{%- if version_column %}
{{ replication_conflicts.column_version(
    adapter.quote(version_column), version_column, columns, units
) }} as image_version,
{%- endif %}
{%- for column, data_type in columns.items() %}
{{ replication_conflicts.image_value(fields[column], data_type, units[column]) }}
    as value_{{ loop.index }}
{%- if not loop.last -%},{%- endif -%}
{%- endfor %}
{%- endmacro %}
