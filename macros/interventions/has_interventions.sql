{#- Whether this run has decisions of people or refused commands to look at; false while dbt
    parses. -#}
{% macro has_interventions() -%}
    {%- set pending = ref('pending_interventions') -%}
    {{ return(execute and replication_conflicts.scratch_has_rows(pending)) }}
{%- endmacro %}
