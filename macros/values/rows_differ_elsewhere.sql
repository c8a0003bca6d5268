{#- Whether two rows of one article, as canonical text, have different values in any column but
    these. Never NULL. Columns that stand side by side in both rows, as one does, are left out by
    cutting the rows in two, which Spark compiles; else the others are looked at one by one, which
    it does not.

    columns: an array of names -#}
{% macro rows_differ_elsewhere(one, other, columns) -%}
{%- set names = 'map_keys(' ~ other ~ ')' -%}
{%- set first = (
    'cast(greatest(array_position(' ~ names ~ ', get(' ~ columns ~ ', 0)), 1) as int)'
) -%}
{%- set behind = first ~ ' + size(' ~ columns ~ ')' -%}
if(
    coalesce(
        map_keys({{ one }}) = {{ names }}
        and slice({{ names }}, {{ first }}, size({{ columns }})) = {{ columns }},
        false
    ),
    slice(map_values({{ one }}), 1, {{ first }} - 1)
    <> slice(map_values({{ other }}), 1, {{ first }} - 1)
    or slice(map_values({{ one }}), {{ behind }}, size({{ names }}))
    <> slice(map_values({{ other }}), {{ behind }}, size({{ names }})),
    {{ replication_conflicts.rows_differ(
        one, other, 'array_except(' ~ names ~ ', ' ~ columns ~ ')'
    ) | indent(4) }}
)
{%- endmacro %}
