{#- A relation with conflicts without those that people have decided: the end of a from clause. -#}
{% macro without_decided(conflicts) -%}
{%- set decided = ref('decided_conflicts') -%}
{{ conflicts }}
{%- if execute and load_relation(decided) is not none %}
    left anti join (select conflict_id from {{ decided }} where outcome = 'applied') as decided
        on {{ conflicts }}.conflict_id = decided.conflict_id
{%- endif -%}
{%- endmacro %}
