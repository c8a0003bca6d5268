{#- The columns of staged changes that say which version of its row a change was made on and what it
    writes, with their types: the first two under queued updating, the others under merge
    replication. -#}
{% macro version_columns() -%}
    {{ return({
        'old_version': 'string',
        'new_version': 'string',
        'lineage': 'map<string,bigint>',
        'known_position': 'bigint',
        'changed_columns': 'array<string>',
        'previous_values': 'map<string,string>',
        'priority': 'decimal(5,2)',
        'written_columns': 'array<string>',
        'tracked_columns': 'array<string>',
        'has_unknown_column': 'boolean',
        'ignores_equal_values': 'boolean'
    }) }}
{%- endmacro %}
