{#- The node whose version a change makes, as an SQL expression over node, publisher and
    intervention: what a person decides, or a run undoes because a subscriber refused it, is a
    version of the run's own, '<publisher>*'.
    Rule: versions that a run makes count under a node of their own. -#}
{% macro acting_node() -%}
if(intervention is null, node, {{ replication_conflicts.run_node() }})
{%- endmacro %}
