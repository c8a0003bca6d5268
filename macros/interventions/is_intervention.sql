{#- Whether a row of the decision log is no change, but a decision of a person or a refused command. `rule`: an SQL expression, its rule. -#}
{% macro is_intervention(rule='rule') -%}
    {{ return('coalesce(' ~ rule ~ " in ('submit_winner', 'submit_loser', 'remove', 'refused_command'), false)") }}
{%- endmacro %}
