{#- The decision log without rows, as a query: no run has written one yet. Its columns are those of
    the contract of `change_outcomes`, which dbt knows once it executes. -#}
{% macro no_outcomes() -%}
{%- set log = graph.get('nodes', {}).get('model.replication_conflicts.change_outcomes') -%}
{%- if log -%}
{%- set columns = {} -%}
{%- for column in log.columns.values() -%}
    {%- do columns.update({column.name: column.data_type}) -%}
{%- endfor -%}
{{ replication_conflicts.empty_relation(columns) }}
{%- endif -%}
{%- endmacro %}
