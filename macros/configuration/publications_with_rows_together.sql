{#- The publications in which keys or logical records bring rows together, so that a decision about
    one may depend on another. A list of names. -#}
{% macro publications_with_rows_together() -%}
    {{ return(
        (replication_conflicts.key_constraints() + replication_conflicts.record_articles())
        | map(attribute='publication') | unique | list
    ) }}
{%- endmacro %}
