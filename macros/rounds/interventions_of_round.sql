{#- What becomes of decisions of people and refused commands in a round, as CTEs up to `intervened`:
    the changes with intervention_outcome, and is_intervention_written, whether it makes a version
    of its row; NULL and false for changes.
    Rule: of several decisions about one conflict the first that is not stale counts; the others
    find it gone.

    changes: the CTE with the changes of the round and what each has met -#}
{% macro interventions_of_round(changes) -%}
-- one row per change: the version of its row that a decision of a person looks at
with_met_version as (
    select
        *,
        {{ replication_conflicts.settled_version(
            'replication', 'held_row.version', 'held_row.change_id', 'held_row'
        ) | indent(8) }} as met_version
    from {{ changes }}
),

-- one row per change: what becomes of it, if no decision before it was about the same conflict
intervened_alone as (
    select
        *,
        {{ replication_conflicts.intervention_outcome(
            kind='intervention.kind', is_gone='intervention.is_gone',
            is_writing='intervention.is_writing',
            settled_version='intervention.settled_version', held_version='met_version',
            is_row_held='is_row_held', replication='replication'
        ) | indent(8) }} as intervention_outcome_alone
    from with_met_version
),

-- one row per change: what becomes of it, the first decision about a conflict being the one that
-- counts
intervened_in_order as (
    select
        * except (intervention_outcome_alone),
        if(
            intervention.conflict_id is not null
            and coalesce(
                max(intervention_outcome_alone = 'applied') over (
                    partition by publication, coalesce(intervention.conflict_id, change_id)
                    order by transaction_position, queue_position, change_id
                    rows between unbounded preceding and 1 preceding
                ),
                false
            ),
            'stale',
            intervention_outcome_alone
        ) as intervention_outcome
    from intervened_alone
),

-- one row per change: whether it makes a version of its row, where it is none of a node
intervened as (
    select
        * except (met_version),
        coalesce(
            intervention.is_writing
            and case
                -- undone only where the publisher still has what the command was to bring
                when intervention.kind = 'refused_command'
                    then met_version <=> intervention.settled_version
                else intervention_outcome = 'applied' and (operation <> 'delete' or is_row_held)
            end,
            false
        ) as is_intervention_written
    from intervened_in_order
)
{%- endmacro %}
