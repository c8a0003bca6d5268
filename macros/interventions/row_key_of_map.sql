{#- The key of a row as one text (see row_key), from a map of key column to canonical text. -#}
{% macro row_key_of_map(key, primary_key) -%}
concat_ws(
        '|',
        transform({{ primary_key }}, key_column -> replace(replace({{ key }}[key_column], '\\', '\\\\'), '|', '\\|'))
    )
{%- endmacro %}
