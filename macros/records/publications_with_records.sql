{#- The publications that have logical records: a list of names. -#}
{% macro publications_with_records() -%}
    {{ return(
        replication_conflicts.record_articles() | map(attribute='publication') | unique | list
    ) }}
{%- endmacro %}
