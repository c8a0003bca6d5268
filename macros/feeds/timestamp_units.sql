{#- The unit of timestamps that are counts, for every column of an article: one and the same table
    may have several, such as Debezium's Timestamp (millis), MicroTimestamp and NanoTimestamp.

    columns: the article's.  timestamp_unit: one unit for all, or a mapping of column name to unit;
    micros for the others.
    Errors: a mapping that names a column that the article does not have. -#}
{% macro timestamp_units(columns, timestamp_unit) -%}
    {%- set is_mapping = timestamp_unit is mapping -%}
    {%- set units = {} -%}
    {%- for column in columns -%}
        {%- do units.update({
            column: timestamp_unit.get(column, 'micros') if is_mapping else timestamp_unit
        }) -%}
    {%- endfor -%}
    {%- for column in timestamp_unit if is_mapping and column not in units -%}
        {{ exceptions.raise_compiler_error(
            "timestamp_unit names the column '" ~ column
            ~ "', which the article does not have; its columns: " ~ columns | join(', ') ~ "."
        ) }}
    {%- endfor -%}
    {{ return(units) }}
{%- endmacro %}
