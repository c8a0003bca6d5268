{#- Merge replication: what a concurrent change contends for, as a map of column to its last
    writer: the columns that it writes and whose last writer it does not know. Row tracking knows
    one column, '*', the row. What was deleted is contested as a whole. Empty where the change
    contends with nobody. -#}
{% macro contested_columns(lineage, known_position, node, written_columns, held) -%}
    case
        when {{ held }}.is_deleted then map('*', {{ held }}.merge_version.writer)
        else map_filter(
            if(
                array_contains({{ written_columns }}, '*'),
                map('*', {{ held }}.merge_version.writer),
                {{ replication_conflicts.writers_of_columns(
                    written_columns, held ~ '.merge_version.column_writers'
                ) | indent(16) }}
            ),
            (written_column, writer) -> not {{ replication_conflicts.knows_version(
                lineage, known_position, node, 'writer.node', 'writer.number',
                replication_conflicts.place_known_from('writer')
            ) | indent(12) }}
        )
    end
{%- endmacro %}
