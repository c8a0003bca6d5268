{#- Merge replication: whether a change was made in the knowledge of a version. Its lineage names
    the version's node with that number or a higher one; for a feed without lineages, the version
    was decided at or before the place up to which the node had downloaded. A node knows what it
    wrote itself, and everybody knows a row that had no version (number) when it was first
    published. Never NULL. -#}
{% macro knows_version(
    lineage, known_position, node, version_node, version_number, version_position
) -%}
    coalesce(
        {{ lineage }}[{{ version_node }}] >= {{ version_number }}
        or {{ version_node }} = {{ node }}
        or ({{ lineage }} is null and {{ version_position }} <= {{ known_position }})
        or {{ version_number }} is null,
        false
    )
{%- endmacro %}
