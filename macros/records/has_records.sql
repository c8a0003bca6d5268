{#- Whether any publication has logical records. -#}
{% macro has_records() -%}
    {{ return(replication_conflicts.record_articles() | length > 0) }}
{%- endmacro %}
