{#- The publications with this `replication` that have unique or foreign keys: a list of names. -#}
{% macro publications_with_keys(replication) -%}
    {{ return(
        replication_conflicts.key_constraints(replication=replication)
        | map(attribute='publication') | unique | list
    ) }}
{%- endmacro %}
