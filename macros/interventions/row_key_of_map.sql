{#- The key of a row as one text (see row_key), from a map of key column to canonical text. All are
    treated alike: the texts of other types than texts have no '|' and no '\'. -#}
{% macro row_key_of_map(key, primary_key) -%}
    concat_ws(
        '|',
        transform(
            {{ primary_key }},
            key_column -> replace(replace({{ key }}[key_column], '\\', '\\\\'), '|', '\\|')
        )
    )
{%- endmacro %}
