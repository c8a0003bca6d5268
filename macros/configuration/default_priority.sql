{#- The priority of a server subscription that gives none: 75.00. Rule: merge replication,
    subscription types. -#}
{% macro default_priority() -%}
    {{ return(75) }}
{%- endmacro %}
