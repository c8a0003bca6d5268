{#- Whether somebody has to look at a change before it applies: over the columns of change_queue.
    Never NULL. What nobody disputes is the only change of its row in the run, in a publication in
    which rows have nothing to do with each other and no constraints, was made on the row that the
    run found, and leaves the row that it carries. Under queued updating its whole transaction
    must be so.

    has_interventions: whether decisions of people or refused commands act in the run; what they
    find may depend on any change.
    Rule: a clean change, or one that descends from the held version, applies. A delete of merge
    replication is looked at because the row is kept as it was held. -#}
{% macro is_disputed(has_interventions) -%}
{%- set constrained = replication_conflicts.is_one_of(
    'publication', replication_conflicts.publications_with_constraints()
) -%}
is_contended
        or {{ constrained }}
        {%- if replication_conflicts.has_queued_updating() %}
        or (
            replication = 'queued'
            and {{ replication_conflicts.version_comparison(
                'operation', 'old_version', 'held_before_run.version'
            ) | indent(12) }} <> 'descendant'
        )
        {%- endif %}
        {%- if replication_conflicts.has_merge_replication() and has_interventions %}
        or replication = 'merge'
        {%- elif replication_conflicts.has_merge_replication() %}
        or (
            replication = 'merge'
            and (
                operation = 'delete'
                or {{ replication_conflicts.lineage_comparison(
                    'lineage', 'known_position', 'node', 'held_before_run'
                ) | indent(16) }} <> 'descendant'
                or (
                    {{ replication_conflicts.keeps_other_columns('held_before_run') | indent(20) }}
                    and {{ replication_conflicts.rows_differ_elsewhere(
                        'held_before_run.row', 'change_row', 'written_columns'
                    ) | indent(20) }}
                )
            )
        )
        {%- endif %}
{%- endmacro %}
