{#- Whether a publication replicates by merge. -#}
{% macro is_merge(publication) -%}
    {{ return(replication_conflicts.has_publication_with('replication', 'merge', publication)) }}
{%- endmacro %}
