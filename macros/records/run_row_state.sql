{#- The row of a record that a winning session replaces, as the run leaves it: a version of the
    run's own. The node that has won knows it: it is the row that its session holds. As the leading
    change's version it is known, counted for this row where the feed has no lineages: the number
    that the leading change has in a row of its own is one that others know of this row. -#}
{% macro run_row_state() -%}
{{ replication_conflicts.row_state(
    "if(operation = 'delete', null, "
    ~ replication_conflicts.version_text('run_node', 'run_number') ~ ')',
    'run_node', 'change_id', "operation = 'delete'", 'true',
    lineage=replication_conflicts.lineage_union('held_row.lineage', 'map(run_node, run_number)'),
    merge_version=replication_conflicts.merge_version(
        'run_writer',
        'map(run_node, run_number, node, ' ~ replication_conflicts.change_number('held_row') ~ ')',
        replication_conflicts.all_writers('run_writer')
    ),
    row='change_row'
) }}
{%- endmacro %}
