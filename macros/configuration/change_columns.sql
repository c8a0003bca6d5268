{#- The columns of a staged change, in their order: the feed contract's, those that say which
    version of its row it was made on, the row's values, and a hash of all but its position.

    publication: what its staging models have to give for each, null for columns of the other kind
    of replication; none: the names -#}
{% macro change_columns(publication=none) -%}
    {%- set versions = [] -%}
    {%- for column, data_type in replication_conflicts.version_columns().items() -%}
        {%- set is_of_queued = column in ('old_version', 'new_version') -%}
        {%- if
            publication is not none and is_of_queued == replication_conflicts.is_merge(publication)
        -%}
            {%- do versions.append('cast(null as ' ~ data_type ~ ') as ' ~ column) -%}
        {%- else -%}
            {%- do versions.append(column) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return([
        'publication', 'article', 'row_key', 'change_id', 'queue_position', 'node',
        'transaction_id', 'transaction_change_count', 'operation', 'changed_at'
    ] + versions + ['change_row', 'content_hash']) }}
{%- endmacro %}
