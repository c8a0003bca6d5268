{#- Whether a column would leave out digits of a number in silence, those behind the point that it
    has no room for: a cast rounds or cuts them. Never NULL; false for a column that is neither a
    whole number nor a decimal. Zeros are no digits that get lost.

    text: SQL expression, the number as a text.  value: the same as the column holds it.  data_type:
    the type of the column -#}
{% macro loses_digits(text, value, data_type) -%}
{%- set kind = data_type | lower | trim -%}
{%- if kind in replication_conflicts.whole_number_types() or kind.startswith('decimal') -%}
coalesce(
    if(
        {{ text }} rlike '[eE]',
        cast({{ text }} as double) <> cast({{ value }} as double),
        {{ text }} rlike '[.][0-9]{{
            '{' ~ replication_conflicts.number_scale(data_type) ~ '}'
        }}[0-9]*[1-9]'
    ),
    false
)
{%- else -%}
false
{%- endif -%}
{%- endmacro %}
