{#- Two lineages as one: of every node the higher number. -#}
{% macro lineage_union(one, other) -%}
    map_zip_with(
        coalesce({{ one }}, map()), coalesce({{ other }}, map()),
        (lineage_node, one_number, other_number) -> greatest(one_number, other_number)
    )
{%- endmacro %}
