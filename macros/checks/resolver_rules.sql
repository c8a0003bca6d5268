{#- The resolvers of this package, each with
      types     the types of the column that it needs; none where it needs no column
      tracking  the tracking that it needs; any where there is none
      scale     how many digits behind the point its column may have, where it computes a
                wide_number; any where there is none
      options   what else it understands -#}
{% macro resolver_rules() -%}
    {%- set numbers = ['tinyint', 'smallint', 'int', 'bigint', 'float', 'double', 'decimal'] -%}
    {%- set times = ['date', 'timestamp', 'timestamp_ntz'] -%}
    {%- set texts = ['string', 'varchar', 'char'] -%}
    {{ return({
        'priority': {},
        'publisher_wins': {},
        'subscriber_wins': {},
        'upload_only': {},
        'download_only': {},
        'manual': {},
        'earlier_wins': {'types': times},
        'later_wins': {'types': times},
        'maximum': {'types': numbers + times + texts},
        'minimum': {'types': numbers + times + texts},
        'priority_column': {'types': numbers},
        'additive': {'types': numbers, 'tracking': 'column', 'scale': 36},
        'averaging': {'types': numbers, 'tracking': 'column', 'scale': 36},
        'additive_delta': {'types': numbers, 'tracking': 'column', 'scale': 36},
        'merge_text': {'types': texts, 'tracking': 'column', 'options': ['separator']}
    }) }}
{%- endmacro %}
