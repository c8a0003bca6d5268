{#- Merge replication: a change as the writer of its version, as a row_writer. -#}
{% macro change_writer(change_id='change_id') -%}
{{ replication_conflicts.row_writer(
    'defending_priority',
    'transaction_position', 'queue_position', 'node', 'number', change_id
) }}
{%- endmacro %}
