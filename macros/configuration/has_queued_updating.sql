{#- Whether any publication replicates by queued updating, or there is none at all: the plainer kind
    then stands for both. -#}
{% macro has_queued_updating() -%}
    {{ return(
        replication_conflicts.has_publication_with('replication', 'queued')
        or not replication_conflicts.has_merge_replication()
    ) }}
{%- endmacro %}
