{#- Whether a column would leave out digits of a number in silence, those behind the point that it has no room for: a cast rounds or
    cuts them. Never NULL. Zeros are no digits that get lost.

    text: SQL expression, the number as a text.  value: the same as the column holds it.  data_type: a whole number or a decimal -#}
{% macro loses_digits(text, value, data_type) -%}
coalesce(
    if(
        {{ text }} rlike '[eE]',
        cast({{ text }} as double) <> cast({{ value }} as double),
        {{ text }} rlike '[.][0-9]{{ '{' ~ replication_conflicts.number_scale(data_type) ~ '}' }}[0-9]*[1-9]'
    ),
    false
)
{%- endmacro %}
