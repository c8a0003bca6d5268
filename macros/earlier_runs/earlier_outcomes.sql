{#- The decision log as the run found it, as a query: change_outcomes, or nothing before
    there is one. -#}
{% macro earlier_outcomes() -%}
{%- if replication_conflicts.held_relation('change_outcomes') -%}
select * from {{ source('held', 'change_outcomes') }}
{%- else -%}
{{ replication_conflicts.no_outcomes() }}
{%- endif -%}
{%- endmacro %}
