{#- Whether it is a decision of a person. -#}
{% macro is_decision(rule='rule') -%}
    {{ return('coalesce(' ~ rule ~ " in ('submit_winner', 'submit_loser', 'remove'), false)") }}
{%- endmacro %}
