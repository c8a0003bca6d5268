{#- Merge replication: the number of the version that a change makes of its row. A feed without
    lineages has none, and its versions are counted for each row. Over the columns lineage and node;
    `held` is a row_state. -#}
{% macro change_number(held) -%}
coalesce(lineage[node], coalesce({{ held }}.lineage[node], 0) + 1)
{%- endmacro %}
