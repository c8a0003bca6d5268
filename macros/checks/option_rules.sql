{#- The options of publications and articles, each with what it may be:
      form      'text', 'days' (a whole number from 1), 'flag' (true or false), 'list' or 'mapping'
      values    the values that it may have
      required  whether it must be there -#}
{% macro option_rules() -%}
    {{ return({
        'publication': {
            'replication': {'values': ['queued', 'merge'], 'required': true},
            'policy': {'values': ['publisher_wins', 'publisher_wins_reinitialize', 'subscriber_wins']},
            'publisher': {'form': 'text', 'required': true},
            'retention_days': {'form': 'days'},
            'conflict_retention_days': {'form': 'days'},
            'articles': {'form': 'mapping', 'required': true},
            'logical_records': {'form': 'list'}
        },
        'article': {
            'columns': {'form': 'mapping', 'required': true},
            'primary_key': {'form': 'list', 'required': true},
            'foreign_keys': {'form': 'list'},
            'initial_snapshot': {'form': 'flag'},
            'conflict_logging': {'values': ['publisher', 'subscriber', 'both']},
            'version_column': {'form': 'text'},
            'tracking': {'values': ['row', 'column']},
            'resolver': {'form': 'mapping'},
            'not_null': {'form': 'list'},
            'unique': {'form': 'list'},
            'check': {'form': 'mapping'},
            'row_filter': {'form': 'mapping'},
            'compensate_for_errors': {'form': 'flag'},
            'ignore_equal_values': {'form': 'flag'}
        }
    }) }}
{%- endmacro %}
