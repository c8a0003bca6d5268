{#- A query without rows, in place of a relation that no run has made yet.

    columns: name to Spark type, in the order of that relation -#}
{% macro empty_relation(columns) -%}
select
    {%- for name, type in columns.items() %}
    cast(null as {{ type }}) as {{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
where false
{%- endmacro %}
