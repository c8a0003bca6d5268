{#- A lineage with one more version of a node. A change mostly names its own version itself: what is
    known is then taken as it is, because bringing two maps together takes time. -#}
{% macro lineage_with(lineage, node, number) -%}
    if(
        {{ lineage }}[{{ node }}] >= {{ number }},
        {{ lineage }},
        {{ replication_conflicts.lineage_union(
            lineage, 'map(' ~ node ~ ', ' ~ number ~ ')'
        ) | indent(8) }}
    )
{%- endmacro %}
