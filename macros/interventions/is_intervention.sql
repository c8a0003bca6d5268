{#- Whether a row of the decision log is no change, but a decision of a person or a refused command. `rule`: an SQL expression, its rule. -#}
{% macro is_intervention(rule='rule') -%}
    {{ return('coalesce(' ~ rule ~ " in ('submit_winner', 'submit_loser', 'remove', 'refused_command'), false)") }}
{%- endmacro %}


{#- Whether it is a decision of a person. -#}
{% macro is_decision(rule='rule') -%}
    {{ return('coalesce(' ~ rule ~ " in ('submit_winner', 'submit_loser', 'remove'), false)") }}
{%- endmacro %}


{#- Whether it is a command that a subscriber refused. -#}
{% macro is_refused_command(rule='rule') -%}
    {{ return(rule ~ " <=> 'refused_command'") }}
{%- endmacro %}
