{#- The columns of the feed contract that say which version of the row a change was made on. They
    depend on the kind of replication: a GUID before and after under queued updating; what the node
    knew of the row under merge replication. -#}
{% macro contract_version_columns(publication) -%}
    {%- if replication_conflicts.is_merge(publication) -%}
        {{ return([
            'lineage', 'known_position', 'changed_columns', 'previous_values', 'priority'
        ]) }}
    {%- endif -%}
    {{ return(['old_version', 'new_version']) }}
{%- endmacro %}
