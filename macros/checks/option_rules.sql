{#- The options of publications and articles, each with what it may be:
      form        'text', 'days' (a whole number from 1 to 100000), 'flag' (true or false), 'list',
                  'mapping', 'texts' (a mapping of name to text) or 'named' (a mapping with a
                  name)
      values      the values that it may have
      required    whether it must be there
      belongs_to  the kind of replication that alone knows it -#}
{% macro option_rules() -%}
    {{ return({
        'publication': {
            'replication': {'values': ['queued', 'merge'], 'required': true},
            'policy': {
                'values': ['publisher_wins', 'publisher_wins_reinitialize', 'subscriber_wins'],
                'belongs_to': 'queued'
            },
            'publisher': {'form': 'text', 'required': true},
            'retention_days': {'form': 'days'},
            'conflict_retention_days': {'form': 'days'},
            'articles': {'form': 'mapping', 'required': true},
            'apply_errors': {'form': 'flag'},
            'logical_records': {'form': 'list', 'belongs_to': 'merge'}
        },
        'article': {
            'columns': {'form': 'mapping', 'required': true},
            'primary_key': {'form': 'list', 'required': true},
            'foreign_keys': {'form': 'list'},
            'initial_snapshot': {'form': 'flag'},
            'conflict_logging': {'values': ['publisher', 'subscriber', 'both']},
            'version_column': {'form': 'text'},
            'tracking': {'values': ['row', 'column'], 'belongs_to': 'merge'},
            'resolver': {'form': 'named', 'belongs_to': 'merge'},
            'not_null': {'form': 'list'},
            'unique': {'form': 'list'},
            'check': {'form': 'texts'},
            'row_filter': {'form': 'texts'},
            'compensate_for_errors': {'form': 'flag'},
            'ignore_equal_values': {'form': 'flag', 'belongs_to': 'merge'}
        }
    }) }}
{%- endmacro %}
