{#- The changes of a round with what becomes of each that is a decision of a person or a refused command: intervention_outcome, and
    is_intervention_written, whether it makes a version of its row; NULL and false for changes. A query.
    Rule: of several decisions about one conflict the first that is not stale counts; the others find it gone. -#}
{% macro interventions_of_round(changes) -%}
select
    * except (held_version),
    coalesce(
        intervention.is_writing
        and case
            -- undone only where the publisher still has what the command was to bring
            when intervention.kind = 'refused_command'
                then held_version <=> intervention.settled_version
            else intervention_outcome = 'applied' and (operation <> 'delete' or is_row_held)
        end,
        false
    ) as is_intervention_written
from (
    select
        * except (outcome_alone),
        if(
            intervention.conflict_id is not null
            and coalesce(
                max(outcome_alone = 'applied') over (
                    partition by publication, coalesce(intervention.conflict_id, change_id)
                    order by transaction_position, queue_position, change_id
                    rows between unbounded preceding and 1 preceding
                ),
                false
            ),
            'stale',
            outcome_alone
        ) as intervention_outcome
    from (
        select
            *,
            {{ replication_conflicts.intervention_outcome(
                'intervention.kind', 'intervention.is_gone', 'intervention.is_writing',
                'intervention.settled_version', 'held_version', 'is_row_held', 'replication'
            ) | indent(12) }} as outcome_alone
        from (
            select
                *,
                {{ replication_conflicts.settled_version(
                    'replication', 'held_row.version', 'held_row.change_id', 'held_row'
                ) | indent(16) }} as held_version
            from {{ changes }}
        )
    )
)
{%- endmacro %}
