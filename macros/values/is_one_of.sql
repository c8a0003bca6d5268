{#- Whether a column has one of several values, as a condition; never, where there are none. -#}
{% macro is_one_of(column, values) -%}
    {{ return(
        '(' ~ column ~ ' in (' ~ replication_conflicts.sql_texts(values) ~ '))'
        if values
        else '(false)'
    ) }}
{%- endmacro %}
