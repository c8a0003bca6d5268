{#- A value as canonical text: the same value gives the same text whatever made it, NULL stays NULL.
    Rows, keys and parameters travel in this form. Times are written in the session's time zone,
    which is UTC. Numbers of many decimal places are written without an exponent: a cast makes
    3E-8 of a small one, which SQL Server takes for no number. Maps are written in the order of
    their keys. Blanks at the end of a char(n) only fill it up: some tables have them, and
    others do not. -#}
{% macro canonical_text(column, data_type) -%}
    {%- set kind = data_type | lower | trim -%}
    {%- if kind == 'string' or kind.startswith('varchar') -%}
        cast({{ column }} as string)
    {%- elif kind.startswith('char') -%}
        rtrim(cast({{ column }} as string))
    {%- elif kind == 'binary' -%}
        base64({{ column }})
    {%- elif kind.startswith(('array', 'map', 'struct')) -%}
        to_json({{ replication_conflicts.in_key_order(column, data_type) }})
    {%- elif (replication_conflicts.number_scale(kind) or 0) > 6 -%}
        translate(
            format_number({{ column }}, {{ replication_conflicts.number_scale(kind) }}), ',', ''
        )
    {%- else -%}
        cast({{ column }} as string)
    {%- endif -%}
{%- endmacro %}
