{#- The columns of change_queue before it says what is disputed: those in which decisions of people
    and refused commands are put among the changes. A list of names. -#}
{% macro queue_columns() -%}
{%- set columns = [
    'publication', 'article', 'row_key', 'change_key', 'change_id', 'node', 'is_publisher_change',
    'transaction_key', 'transaction_position', 'queue_position', 'operation', 'old_version',
    'new_version', 'change_row', 'other_content', 'policy', 'publisher', 'run_sequence', 'intake',
    'was_seen', 'violation', 'replication', 'lineage', 'known_position', 'previous_values',
    'written_columns', 'tracked_columns', 'ignores_equal_values', 'contending_priority',
    'defending_priority', 'held_before_run', 'reinitialization', 'was_waiting_before_run',
    'is_contended', 'is_looked_at', 'guess', 'guessed_failure', 'is_run_row', 'cause_change_id',
    'round_number', 'run_id', 'intervention',
] -%}
{%- if replication_conflicts.has_queued_updating() -%}
    {%- do columns.append('is_failure_final') -%}
{%- endif -%}
{%- if replication_conflicts.has_merge_replication() -%}
    {%- do columns.extend(['session_end', 'guessed_state', 'is_certain']) -%}
{%- endif -%}
{{ return(columns) }}
{%- endmacro %}
