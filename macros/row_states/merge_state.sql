{#- Merge replication: the row as a change leaves it, as a row_state; meaningful only where the
    change makes a version.
      applied, won      the change's own version; who wrote its columns is the change, of all
                        columns where it replaced the row
      merged            a version that the run makes itself, under the node '<publisher>*' and
                        counted for each row; its columns keep their writers
      a resolved row    such a version too, all of whose columns the run has written
      already_deleted   the tombstone stays; who knows this delete knows the tombstone
    `known_lineage`: what goes into the row beside the change's own version. `known_as`: as what
    that version is known. -#}
{% macro merge_state(
    outcome, keeps_other_columns, is_resolved_row, row_after, held, known_lineage='lineage',
    known_as='map(node, number)'
) -%}
{%- set known = replication_conflicts.lineage_union(
    held ~ '.lineage',
    replication_conflicts.lineage_with('(' ~ known_lineage ~ ')', 'node', 'number')
) -%}
    case
        when {{ outcome }} = 'already_deleted' then {{ replication_conflicts.row_state(
            'null', held ~ '.node', held ~ '.change_id', 'true', 'true',
            lineage=known,
            merge_version=replication_conflicts.merge_version(
                held ~ '.merge_version.writer',
                replication_conflicts.lineage_union(
                    held ~ '.merge_version.known_as', 'map(node, number)'
                ),
                held ~ '.merge_version.column_writers'
            ),
            row=held ~ '.row'
        ) | indent(8) }}
        when {{ outcome }} = 'merged' or {{ is_resolved_row }}
            then {{ replication_conflicts.row_state(
                replication_conflicts.version_text('run_node', 'run_number'),
                'run_node',
                'change_id',
                'false',
                'true',
                lineage=replication_conflicts.lineage_union(known, 'map(run_node, run_number)'),
                merge_version=replication_conflicts.merge_version(
                    'run_writer',
                    'map(run_node, run_number)',
                    'if(' ~ is_resolved_row ~ ', ' ~ replication_conflicts.all_writers('run_writer')
                    ~ ', ' ~ replication_conflicts.overlaid_writers(held) ~ ')'
                ),
                row=row_after
            ) | indent(12) }}
        else {{ replication_conflicts.applied_state(
            keeps_other_columns, row_after, held, known_lineage, known_as
        ) | indent(8) }}
    end
{%- endmacro %}
