{#- The place in the queue from which on the conflicts of a publication are kept, as an SQL
    expression. `publication`: an SQL expression. Before the queue where all are.
    Rule: conflict_retention_days, by the publication's clock. -#}
{% macro first_kept_position(publication) -%}
    (
        select coalesce(
            max(retention.first_kept_position), {{ replication_conflicts.before_queue() }}
        )
        from {{ ref('conflict_retention') }} as retention
        where retention.publication = {{ publication }}
    )
{%- endmacro %}
