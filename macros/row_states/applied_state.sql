{#- Merge replication: the row as a change leaves it that makes its own version, as a row_state.
    Over the columns version, number, node, change_id, operation, own_writer, standing_columns and
    tracked_columns; the other arguments as of merge_state. -#}
{% macro applied_state(
    keeps_other_columns, row_after, held, known_lineage='lineage', known_as='map(node, number)'
) -%}
{{ replication_conflicts.row_state(
    'version', 'node', 'change_id', "operation = 'delete'", 'true',
    lineage=replication_conflicts.lineage_union(
        held ~ '.lineage',
        replication_conflicts.lineage_with('(' ~ known_lineage ~ ')', 'node', 'number')
    ),
    merge_version=replication_conflicts.merge_version(
        'own_writer',
        known_as,
        'if(' ~ keeps_other_columns ~ ', ' ~ replication_conflicts.overlaid_writers(held) ~ ', '
        ~ replication_conflicts.all_writers('own_writer') ~ ')'
    ),
    row=row_after
) }}
{%- endmacro %}
