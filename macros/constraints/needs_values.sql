{#- Whether decisions about rows of a publication need the rows' values: under merge replication, and where rows may be refused. -#}
{% macro needs_values(publication) -%}
    {{ return(
        replication_conflicts.is_merge(publication) or replication_conflicts.has_constraints(publication)
    ) }}
{%- endmacro %}


{#- The same as a condition over the column publication. -#}
{% macro publication_needs_values() -%}
    {%- set names = [] -%}
    {%- for publication in replication_conflicts.publications() if replication_conflicts.needs_values(publication) -%}
        {%- do names.append(publication) -%}
    {%- endfor -%}
    {{ return(replication_conflicts.is_one_of('publication', names)) }}
{%- endmacro %}
