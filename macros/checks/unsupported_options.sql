{#- What a configuration may ask for one day but not yet: options, or single values of an option, with what would silently
    not happen. The list shrinks as capabilities arrive. An option that asks for nothing ([], {}, false) is let through. -#}
{% macro unsupported_options() -%}
    {{ return({
        'publication': {
            'replication': {'merge': 'merge replication is not built; queued is'},
            'conflict_retention_days': 'old conflict rows are not removed',
            'logical_records': 'logical records belong to merge replication'
        },
        'article': {
            'tracking': 'tracking belongs to merge replication',
            'resolver': 'resolvers belong to merge replication',
            'ignore_equal_values': 'equal values are a conflict like any others',
            'not_null': 'no change would fail for a NULL',
            'unique': 'no change would fail for a duplicate',
            'check': 'no change would fail the check',
            'row_filter': 'every subscriber gets every row',
            'compensate_for_errors': 'no change fails for a constraint'
        }
    }) }}
{%- endmacro %}
