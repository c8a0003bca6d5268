{#- Merge replication: a change as the writer of its version, as a row_writer. Who has downloaded up to the place behind which a
    decision of a person acts does not know it yet. -#}
{% macro change_writer(has_interventions) -%}
{{ replication_conflicts.row_writer(
    'defending_priority',
    replication_conflicts.by_intervention(
        has_interventions,
        'transaction_position + if(queue_position > transaction_position, 1, 0)',
        'transaction_position'
    ),
    'queue_position', 'node', 'number',
    replication_conflicts.by_intervention(has_interventions, 'null', 'change_id')
) }}
{%- endmacro %}
