{#- How many parents the lowest article of any logical record has above it. -#}
{% macro record_depth() -%}
    {{ return(
        ([0] + replication_conflicts.record_articles() | map(attribute='depth') | list) | max
    ) }}
{%- endmacro %}
