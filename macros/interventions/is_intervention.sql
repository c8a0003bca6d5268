{#- Whether a row of the decision log is no change, but a decision of a person or a refused command. Over the column rule. -#}
{% macro is_intervention() -%}
    {{ return("coalesce(rule in ('submit_winner', 'submit_loser', 'remove', 'refused_command'), false)") }}
{%- endmacro %}


{#- Whether it is a decision of a person. -#}
{% macro is_decision() -%}
    {{ return("coalesce(rule in ('submit_winner', 'submit_loser', 'remove'), false)") }}
{%- endmacro %}


{#- Whether it is a command that a subscriber refused. -#}
{% macro is_refused_command() -%}
    {{ return("rule <=> 'refused_command'") }}
{%- endmacro %}
