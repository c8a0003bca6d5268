{#- The key columns of a row image as typed_image names them: a list of value_<n>, in the order of
    the primary key.

    options: the article's. -#}
{% macro image_key(options) -%}
    {%- set names = options.columns | list -%}
    {%- set keys = [] -%}
    {%- for column in options.primary_key -%}
        {%- do keys.append('value_' ~ (names.index(column) + 1)) -%}
    {%- endfor -%}
    {{ return(keys) }}
{%- endmacro %}
