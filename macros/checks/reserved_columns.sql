{#- Names, in lower case, that no column of an article may have: they stand beside its columns in a
    feed, in the published tables or in a conflict table. Under queued updating those of merge
    replication are free.

    is_merged: whether the publication is one of merge replication -#}
{% macro reserved_columns(is_merged) -%}
    {%- set names = [
        'change_id', 'queue_position', 'node', 'transaction_id', 'transaction_change_count',
        'operation', 'changed_at',
        'old_version', 'new_version',
        'publication', 'article', 'row_key', 'change_row', 'content_hash',
        'row_version', 'version_node', 'version_change_id', 'is_deleted', 'run_sequence',
        'origin_datasource_id', 'conflict_id', 'transaction_position'
    ] -%}
    {%- set names_of_merge = [
        'lineage', 'known_position', 'changed_columns', 'previous_values', 'priority',
        'written_columns', 'tracked_columns',
        'has_unknown_column', 'ignores_equal_values', 'merge_version'
    ] -%}
    {{ return(names + names_of_merge if is_merged else names) }}
{%- endmacro %}
