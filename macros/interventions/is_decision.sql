{#- Whether a row of the decision log is a decision of a person. -#}
{% macro is_decision(rule='rule') -%}
    {{ return('coalesce(' ~ rule ~ " in ('submit_winner', 'submit_loser', 'remove'), false)") }}
{%- endmacro %}
