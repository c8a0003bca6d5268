{#- What of a value goes into content_hash: the value itself where that says as much as its
    canonical text, which takes longer to write than to hash. Whole numbers count as the widest, so
    that a column that becomes wider has the same hashes. -#}
{% macro hashed_value(column, data_type) -%}
    {%- set kind = data_type | lower | trim -%}
    {%- if kind in replication_conflicts.whole_number_types() -%}
        cast({{ column }} as bigint)
    {%- elif
        kind in ('string', 'boolean', 'date', 'timestamp', 'timestamp_ntz', 'binary')
        or kind.startswith('varchar')
    -%}
        {{ column }}
    {%- else -%}
        {{ replication_conflicts.canonical_text(column, data_type) }}
    {%- endif -%}
{%- endmacro %}
