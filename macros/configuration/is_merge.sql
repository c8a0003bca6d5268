{#- Whether a publication replicates by merge; without a name, whether any does. -#}
{% macro is_merge(publication=none) -%}
    {{ return(replication_conflicts.has_publication_with('replication', 'merge', publication)) }}
{%- endmacro %}
