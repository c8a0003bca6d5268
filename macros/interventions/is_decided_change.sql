{#- Whether a row of the decision log is the decision about a change of a node. The log has more:
    images and rows that a run has written itself, both of logical records and without an outcome;
    decisions of people; refused commands. -#}
{% macro is_decided_change() -%}
(outcome is not null and not {{ replication_conflicts.is_intervention() }})
{%- endmacro %}
