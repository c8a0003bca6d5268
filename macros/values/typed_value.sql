{#- The value behind a canonical text, as the type that the article declares: the inverse of
    canonical_text. NULL where a text is none of the type. -#}
{% macro typed_value(text, data_type) -%}
    {%- set kind = data_type | lower | trim -%}
    {%- if kind == 'string' -%}
        {{ text }}
    {%- elif kind == 'binary' -%}
        try_to_binary({{ text }}, 'base64')
    {%- elif kind.startswith(('array', 'map', 'struct')) -%}
        from_json({{ text }}, '{{ data_type }}')
    {%- else -%}
        cast({{ text }} as {{ data_type }})
    {%- endif -%}
{%- endmacro %}
