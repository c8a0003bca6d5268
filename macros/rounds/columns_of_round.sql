{#- What a round has of a change as it came, and hands on to the next one: a list of columns. Beside
    these stand what the round assumes of the change, and who acts (acting_node). -#}
{% macro columns_of_round(replication) -%}
    {%- set columns = [
        'publication', 'article', 'row_key', 'change_id', 'intervention', 'is_publisher_change',
        'transaction_key', 'transaction_position', 'queue_position', 'operation', 'new_version',
        'replication', 'change_row', 'publisher', 'contending_priority', 'held_before_run',
        'is_contended', 'is_looked_at', 'run_sequence'
    ] -%}
    {%- set further_columns = {
        'queued': ['old_version', 'policy', 'reinitialization', 'was_waiting_before_run'],
        'merge': [
            'session_end', 'lineage', 'known_position', 'previous_values', 'written_columns',
            'tracked_columns', 'ignores_equal_values', 'defending_priority', 'is_run_row',
            'cause_change_id'
        ]
    } -%}
    {{ return(columns + further_columns[replication]) }}
{%- endmacro %}
