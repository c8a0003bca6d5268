{#- A field of a row image as the type that the article declares, whatever the tool that delivers it
    has made of it: a number or its text, a date or its days since 1970, a timestamp or its text or
    a count since 1970, bytes or base64. Digits alone are a count, 0 and what is before 1970
    included. NULL where the field has no value of that type.

    field: SQL expression.  data_type: the article's.  timestamp_unit: of counts: millis, micros,
    nanos. -#}
{% macro image_value(field, data_type, timestamp_unit='micros') -%}
    {%- set kind = data_type | lower | trim -%}
    {%- set text = 'cast(' ~ field ~ ' as string)' -%}
    {%- set is_count = text ~ " rlike '^-?[0-9]+$'" -%}
    {%- set micros = {
        'millis': 'try_multiply(try_cast(' ~ text ~ ' as bigint), 1000)',
        'micros': 'try_cast(' ~ text ~ ' as bigint)',
        'nanos': 'try_cast(' ~ text ~ ' as bigint) div 1000'
    } -%}
    {%- if timestamp_unit not in micros -%}
        {{ exceptions.raise_compiler_error(
            "image_value: timestamp_unit is '" ~ timestamp_unit ~ "', must be one of: "
            ~ micros | join(', ') ~ "."
        ) }}
    {%- elif kind.startswith(('array', 'map', 'struct')) -%}
        {{ exceptions.raise_compiler_error(
            "image_value: a column of type " ~ data_type
            ~ " has no one text by which versions could be compared."
            ~ " Leave it out of the article, or stage the feed with versions of its own."
        ) }}
    {%- elif kind == 'binary' -%}
        try_to_binary(if(typeof({{ field }}) = 'binary', base64({{ field }}), {{ text }}), 'base64')
    {%- elif kind == 'date' -%}
        if(
            {{ is_count }},
            date_add(date'1970-01-01', try_cast({{ text }} as int)),
            try_cast({{ text }} as date)
        )
    {%- elif kind == 'timestamp' -%}
        if(
            {{ is_count }},
            timestamp_micros({{ micros[timestamp_unit] }}),
            try_cast({{ text }} as timestamp)
        )
    {%- elif kind == 'timestamp_ntz' -%}
        if(
            {{ is_count }},
            cast(timestamp_micros({{ micros[timestamp_unit] }}) as timestamp_ntz),
            try_cast({{ text }} as timestamp_ntz)
        )
    {%- elif kind == 'string' -%}
        {{ text }}
    {%- elif kind.startswith(('varchar', 'char')) -%}
        cast({{ text }} as {{ data_type }})
    {%- else -%}
        try_cast({{ text }} as {{ data_type }})
    {%- endif -%}
{%- endmacro %}
