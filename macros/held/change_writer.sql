{#- Merge replication: a change as the writer of its version, as a row_writer. -#}
{% macro change_writer(has_interventions) -%}
{{ replication_conflicts.row_writer(
    'defending_priority',
    replication_conflicts.place_known_from(), 'queue_position', 'node', 'number',
    replication_conflicts.by_intervention(has_interventions, 'null', 'change_id')
) }}
{%- endmacro %}
