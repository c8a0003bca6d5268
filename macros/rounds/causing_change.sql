{#- The id of the change that a change of a round stands for: its own, and of a row that the run
    itself writes that of the change that had it written. Only merge replication has such rows.
    `replication`: that of the publication; `change`: the relation that the change is of. -#}
{% macro causing_change(replication, change='') -%}
{%- set prefix = change ~ '.' if change else '' -%}
{{
    'coalesce(' ~ prefix ~ 'cause_change_id, ' ~ prefix ~ 'change_id)'
    if replication == 'merge'
    else prefix ~ 'change_id'
}}
{%- endmacro %}
