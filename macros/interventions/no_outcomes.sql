{#- The decision log without rows, as a query: no run has written one yet. Its columns are those of the contract of
    `change_outcomes`, which dbt knows once it executes. -#}
{% macro no_outcomes() -%}
{%- set log = graph.get('nodes', {}).get('model.replication_conflicts.change_outcomes') -%}
{%- if log -%}
select
    {%- for column in log.columns.values() %}
    cast(null as {{ column.data_type }}) as {{ column.name }}{{ ',' if not loop.last }}
    {%- endfor %}
where false
{%- endif -%}
{%- endmacro %}
