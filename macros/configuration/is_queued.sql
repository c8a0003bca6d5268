{#- Whether a publication replicates by queued updating; without a name, whether any does. -#}
{% macro is_queued(publication=none) -%}
    {{ return(replication_conflicts.has_publication_with('replication', 'queued', publication)) }}
{%- endmacro %}
