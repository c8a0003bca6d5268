{#- The node under which versions that a run makes itself count: merged and resolved rows, decisions
    of people, commands that are undone.
    `publisher`: SQL expression. Rule: never under the publisher's own, whose numbers its database
    gives. -#}
{% macro run_node(publisher='publisher') -%}
concat({{ publisher }}, '*')
{%- endmacro %}
