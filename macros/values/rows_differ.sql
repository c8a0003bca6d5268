{#- Whether two rows of one article, as canonical text, have different values in any column, or in
    any of `columns`, an array of names. Never NULL where both are rows. Rows mostly have their
    columns in one order: those that are equal as they stand are not looked at column by column,
    which Spark does without compiling it. -#}
{% macro rows_differ(one, other, columns=none) -%}
{%- set columns_differ -%}
    exists(
        {{ columns or 'map_keys(' ~ other ~ ')' }},
        compared_column -> not ({{ one }}[compared_column] <=> {{ other }}[compared_column])
    )
{%- endset -%}
{%- if columns -%}
{{ columns_differ }}
{%- else -%}
(
    not coalesce(
        map_keys({{ one }}) = map_keys({{ other }})
        and map_values({{ one }}) = map_values({{ other }}),
        false
    )
    and {{ columns_differ }}
)
{%- endif -%}
{%- endmacro %}
