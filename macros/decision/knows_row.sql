{#- Merge replication: whether a change was made in the knowledge of a version of a row: of the one
    that made it, or of a delete that found it deleted. A row without a version is known to
    everybody. NULL only where `held` is, a row_state. -#}
{% macro knows_row(lineage, known_position, node, held) -%}
(
    size({{ held }}.merge_version.known_as) = 0
    or exists(
        map_entries({{ held }}.merge_version.known_as),
        known_version -> {{ replication_conflicts.knows_version(
            lineage, known_position, node, 'known_version.key', 'known_version.value',
            replication_conflicts.place_known_from(held ~ '.merge_version.writer')
        ) | indent(8) }}
    )
)
{%- endmacro %}
