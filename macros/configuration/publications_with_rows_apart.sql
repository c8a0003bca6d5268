{#- The publications in which a row is decided without the others: those of merge replication that have neither keys nor logical
    records, which bring rows together. A list of names. -#}
{% macro publications_with_rows_apart() -%}
    {%- set together = replication_conflicts.key_constraints() + replication_conflicts.record_articles() -%}
    {%- set together = together | map(attribute='publication') | list -%}
    {%- set found = [] -%}
    {%- for name in replication_conflicts.publications() if replication_conflicts.is_merge(name) and name not in together -%}
        {%- do found.append(name) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
