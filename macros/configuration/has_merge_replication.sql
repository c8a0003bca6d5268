{#- Whether any publication replicates by merge. -#}
{% macro has_merge_replication() -%}
    {{ return(replication_conflicts.has_publication_with('replication', 'merge')) }}
{%- endmacro %}
