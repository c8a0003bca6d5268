{#- Whether a row of the decision log is no change, but a decision of a person or a refused command.
    `rule`: an SQL expression, its rule. -#}
{% macro is_intervention(rule='rule') -%}
    {{ return(
        '(' ~ replication_conflicts.is_decision(rule) ~ ' or '
        ~ replication_conflicts.is_refused_command(rule) ~ ')'
    ) }}
{%- endmacro %}
