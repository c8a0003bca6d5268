{#- Whether two rows of one article, as canonical text, have different values in any column, or in any of `columns`, an array of
    names. Never NULL. -#}
{% macro rows_differ(one, other, columns=none) -%}
exists(
        {{ columns or 'map_keys(' ~ other ~ ')' }},
        compared_column -> not ({{ one }}[compared_column] <=> {{ other }}[compared_column])
    )
{%- endmacro %}
