{#- The publications whose rows may be refused for what they say (has_constraints). A list of
    names. -#}
{% macro publications_with_constraints() -%}
    {%- set found = [] -%}
    {%- for name in replication_conflicts.publications()
        if replication_conflicts.has_constraints(name)
    -%}
        {%- do found.append(name) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
