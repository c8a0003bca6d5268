{#- The strongest of the last writers of a held row that a change, or the image of a row, does not
    know; NULL where it knows the row, or them all. Of a deleted row: the writer of the row. `held`
    is a row_state. `besides`: a node whose versions do not count. -#}
{% macro unknown_writer(lineage, known_position, node, held, besides=none) -%}
    case
        when {{ held }} is null
            or {{ replication_conflicts.knows_row(lineage, known_position, node, held) }}
            then null
        when {{ held }}.is_deleted
            then if(
                {{ held ~ '.merge_version.writer.node = ' ~ besides if besides else 'false' }},
                null,
                {{ held }}.merge_version.writer
            )
        else array_max(filter(
            array_append(
                map_values({{ held }}.merge_version.column_writers.named),
                {{ held }}.merge_version.column_writers.others
            ),
            writer -> writer is not null
            {%- if besides %}
            and writer.node <> {{ besides }}
            {%- endif %}
            and not {{ replication_conflicts.knows_version(
                lineage, known_position, node, 'writer.node', 'writer.number',
                replication_conflicts.place_known_from('writer')
            ) | indent(12) }}
        ))
    end
{%- endmacro %}
