{#- Queued updating: what every change met at the publisher, if what is assumed of the changes before it (guess) is right, as CTEs up
    to `rows_met`: all columns of a relation and more, each a row_state, NULL where the publisher never held the row:
      publisher_row   the row as the publisher held it just before the change
      proposed_row    with `with_proposed`: the row as the change leaves it, if it applies, where anybody looks at it
      held_row        the row that the change itself met: the last one that its own transaction made before it, as if that had
                      applied; else publisher_row
    Rule: a change is looked at against the version that is held at its place in the queue; of two changes of one row in one
    transaction the second is looked at as if the first had applied.

    `is_looked_at` comes out true also where the row has a later change. In a row's order the changes of one transaction stand
    together, so one order serves for all of it: sorting takes longest here.

    relation: its rows are changes, with row_hash, guess, is_looked_at and held_before_run; node: whose version a change makes -#}
{% macro rows_met(relation, with_proposed=false) -%}
-- one row per change: whether a decision of this run may look at what is assumed of it
followed as (
    select
        * except (is_looked_at),
        is_looked_at
        or {{ replication_conflicts.is_followed('transaction_position, queue_position') }} as is_looked_at
    from {{ relation }}
),

proposed as (
    select
        *,
        case
            when is_looked_at
                then {{ replication_conflicts.row_state(
                    "if(operation = 'delete', null, new_version)", 'node', 'change_id',
                    "operation = 'delete'", 'true', row='change_row'
                ) | indent(16) }}
        end as proposed_row
    from followed
),

-- one row per change: the last change of its row before it that is assumed to apply
beside_publisher as (
    select
        *,
        last_value(struct(transaction_key, operation)) over before_change as change_before,
        coalesce(
            last_value(if(guess, proposed_row, null), true) over before_change,
            held_before_run
        ) as publisher_row
    from proposed
    window before_change as (
        partition by row_hash, publication, article, row_key
        order by transaction_position, queue_position
        rows between unbounded preceding and 1 preceding
    )
),

-- one row per change: whether it deletes what is gone already, in its own transaction or before it
beside_delete as (
    select
        * except (change_before),
        operation = 'delete'
        and if(
            change_before.transaction_key = transaction_key,
            change_before.operation = 'delete',
            coalesce(publisher_row.is_deleted, true)
        ) as is_empty_delete
    from beside_publisher
),

-- one row per change: the last change of its row before it, applied or not
beside_transaction as (
    select
        *,
        last_value(if(is_empty_delete, null, struct(transaction_key, proposed_row)), true) over (
            partition by row_hash, publication, article, row_key
            order by transaction_position, queue_position
            rows between unbounded preceding and 1 preceding
        ) as proposal_before
    from beside_delete
),

-- one row per change
rows_met as (
    select
        * except ({{ '' if with_proposed else 'proposed_row, ' }}is_empty_delete, proposal_before),
        coalesce(
            if(proposal_before.transaction_key = transaction_key, proposal_before.proposed_row, null),
            publisher_row
        ) as held_row
    from beside_transaction
)
{%- endmacro %}
