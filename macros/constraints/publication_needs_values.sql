{#- Whether decisions about rows of a publication need the rows' values (needs_values), as a
    condition over the column publication. -#}
{% macro publication_needs_values() -%}
    {%- set names = [] -%}
    {%- for publication in replication_conflicts.publications()
        if replication_conflicts.needs_values(publication)
    -%}
        {%- do names.append(publication) -%}
    {%- endfor -%}
    {{ return(replication_conflicts.is_one_of('publication', names)) }}
{%- endmacro %}
