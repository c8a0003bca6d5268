{#- A value of one type as another one writes it, from its canonical text: equal values have equal
    texts. Its own text where the other type has no such value, as 1.50 is none of a whole number:
    then it equals nothing.

    text: SQL expression; own_type: the type of the value; data_type: the other one -#}
{% macro text_as_type(text, own_type, data_type) -%}
    {%- set converted = replication_conflicts._text_without_minus_zero(
        replication_conflicts._value_of_text(text, own_type, data_type), data_type
    ) -%}
    {%- if own_type == data_type -%}
        {{ return(converted) }}
    {%- endif -%}
    {%- set own = text -%}
    {%- if own_type | lower | trim in ['float', 'double'] -%}
        {%- set own = replication_conflicts._text_without_minus_zero(
            replication_conflicts.typed_value(text, own_type), own_type
        ) -%}
    {%- endif -%}
    {%- set back = replication_conflicts.canonical_text(
        replication_conflicts._value_of_text(converted, data_type, own_type), own_type
    ) -%}
    {{ return('if(' ~ back ~ ' <=> ' ~ own ~ ', ' ~ converted ~ ', ' ~ own ~ ')') }}
{%- endmacro %}


{#- The canonical text of a value. 0.0 and -0.0 are equal, and have two texts; a sum is never
    -0.0. -#}
{% macro _text_without_minus_zero(value, data_type) -%}
    {%- if data_type | lower | trim in ['float', 'double'] -%}
        {%- set value = '(' ~ value ~ ' + cast(0 as ' ~ data_type ~ '))' -%}
    {%- endif -%}
    {{ return(replication_conflicts.canonical_text(value, data_type)) }}
{%- endmacro %}


{#- The value of another type behind a canonical text: 1.0E7 is the whole number 10000000, which no
    text of one says so. -#}
{% macro _value_of_text(text, own_type, data_type) -%}
    {%- set is_whole = data_type | lower | trim in replication_conflicts.whole_number_types() -%}
    {%- if is_whole and own_type | lower | trim in ['float', 'double'] -%}
        {{ return(
            'try_cast(' ~ replication_conflicts.typed_value(text, own_type)
            ~ ' as ' ~ data_type ~ ')'
        ) }}
    {%- endif -%}
    {{ return(replication_conflicts.typed_value(text, data_type)) }}
{%- endmacro %}
