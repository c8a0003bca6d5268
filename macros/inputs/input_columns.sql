{#- The columns that a relation which people or subscribers fill must have, by its name; a mapping
    of column to type. A seed may have numbers and booleans as text, so that a text that is none is
    an error and not NULL. -#}
{% macro input_columns(name) -%}
    {%- set columns = {
        'subscriptions': {
            'publication': 'string', 'subscriber': 'string', 'type': 'string',
            'priority': 'decimal(5,2)', 'republisher': 'boolean', 'below': 'string'
        },
        'subscription_events': {
            'publication': 'string', 'subscriber': 'string', 'event': 'string',
            'snapshot_position': 'bigint', 'queue_position': 'bigint', 'at': 'timestamp'
        },
        'conflict_decisions': {
            'conflict_id': 'string', 'decision': 'string', 'edited': 'string', 'author': 'string',
            'reason': 'string', 'queue_position': 'bigint'
        }
    } -%}
    {{ return(columns[name]) }}
{%- endmacro %}
