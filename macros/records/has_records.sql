{#- Whether a publication has logical records; without a name, whether any has. -#}
{% macro has_records(publication=none) -%}
    {{ return(replication_conflicts.record_articles(publication) | length > 0) }}
{%- endmacro %}
