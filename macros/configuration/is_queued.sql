{#- Whether a publication replicates by queued updating; without a name, whether any does, or there is none at all: the plainer kind
    then stands for both. -#}
{% macro is_queued(publication=none) -%}
    {{ return(
        replication_conflicts.has_publication_with('replication', 'queued', publication)
        or (publication is none and not replication_conflicts.is_merge())
    ) }}
{%- endmacro %}
