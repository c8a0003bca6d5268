{#- The decision log without rows, as a query: no run has written one yet. Its columns are those of the contract of
    `change_outcomes`, which dbt knows once it executes. -#}
{% macro no_outcomes() -%}
{%- set models = [] -%}
{%- for node in graph.get('nodes', {}).values() if node.name == 'change_outcomes' and node.package_name == 'replication_conflicts' -%}
    {%- do models.append(node) -%}
{%- endfor -%}
{%- if models -%}
select
    {%- for column in models[0].columns.values() %}
    cast(null as {{ column.data_type }}) as {{ column.name }}{{ ',' if not loop.last }}
    {%- endfor %}
where false
{%- endif -%}
{%- endmacro %}
