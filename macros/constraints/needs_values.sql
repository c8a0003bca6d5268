{#- Whether decisions about rows of a publication need the rows' values: under merge replication,
    and where rows may be refused. -#}
{% macro needs_values(publication) -%}
    {{ return(
        replication_conflicts.is_merge(publication)
        or replication_conflicts.has_constraints(publication)
    ) }}
{%- endmacro %}
