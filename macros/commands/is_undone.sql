{#- Whether a change is undone at its node, or completed there with what it was merged with; one of
    the publisher, too, whose own database takes commands like any other. Rows that a node has moved
    out of its own partition go there. A decision of a person is no change of a node, nor is, under
    queued updating, a refused command. Never NULL. Over the columns of change_outcomes,
    configured_articles and configured_publications.
    Rule: what was rejected, lost, merged, resolved, or failed and is not kept, gets a command from
    its own version to the publisher's.

    to_version: SQL of the version that the node is to have; NULL: no row -#}
{% macro is_undone(to_version) -%}
    coalesce(
        not {{ replication_conflicts.is_decision() }}
        and case
            when outcome is null then false
            when replication = 'queued' and {{ replication_conflicts.is_refused_command() }}
                then false
            when replication = 'queued' and outcome in ('rejected', 'failed')
                then not {{ replication_conflicts.is_left_to_snapshot() | indent(16) }}
            when replication = 'queued'
                then is_written and publisher_version is not null and {{ to_version }} is null
            when outcome in ('already_known', 'already_deleted') or new_version <=> {{ to_version }}
                then false
            when outcome in ('failed', 'rejected')
                then not {{ replication_conflicts.is_kept_by_node() | indent(16) }}
            else is_downloaded or node = publisher
        end,
        false
    )
{%- endmacro %}
