{#- Whether any publication replicates by queued updating, or there is none at all: the plainer kind then stands for both. -#}
{% macro is_queued() -%}
    {{ return(replication_conflicts.has_publication_with('replication', 'queued') or not replication_conflicts.is_merge()) }}
{%- endmacro %}
