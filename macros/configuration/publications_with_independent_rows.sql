{#- The publications in which a row is decided without the others: those of merge replication whose
    rows nothing brings together. A list of names. -#}
{% macro publications_with_independent_rows() -%}
    {%- set together = replication_conflicts.publications_with_rows_together() -%}
    {%- set found = [] -%}
    {%- for name in replication_conflicts.publications()
        if replication_conflicts.is_merge(name) and name not in together
    -%}
        {%- do found.append(name) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
