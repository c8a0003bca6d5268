{{ config(
    materialized='rounds',
    first_round='change_queue',
    again='is_contended',
    unsettled='is_written <> guess',
    round_limit='select count(distinct publication, transaction_key) + 1 from previous_round'
) }}

-- One row per change of this run: what a reader that takes the queue one transaction at a time
-- decides about it.
--
-- A round assumes of every change whether it makes a version of its row (guess; in the first round:
-- all do), looks at every change against the row as the publisher held it then, and decides. Rounds
-- go on until every decision is what was assumed. A decision depends on earlier ones alone, so that
-- is the sequential reader's result.

with

changes as (
    select
        publication,
        article,
        row_key,
        change_id,
        node,
        is_publisher_change,
        transaction_key,
        transaction_position,
        queue_position,
        operation,
        old_version,
        new_version,
        policy,
        publisher,
        held_before_run,
        reinitialization,
        was_waiting_before_run,
        is_contended,
        round_number + 1 as round_number,
        next_guess as guess
    from {{ previous_round(ref('change_queue')) }}
    where
        intake = 'taken'
        and run_id = '{{ invocation_id }}'
),

-- one row per change: the row as the change leaves it, if it applies
proposed as (
    select
        *,
        struct(
            if(operation = 'delete', null, new_version) as version,
            node,
            change_id,
            operation = 'delete' as is_deleted,
            true as is_of_this_run
        ) as proposed_row
    from changes
),

-- one row per change: what the publisher held before it
met as (
    select
        *,
        coalesce(
            last_value(if(guess, proposed_row, null), true) over (
                partition by publication, article, row_key
                order by transaction_position, queue_position
                rows between unbounded preceding and 1 preceding
            ),
            held_before_run
        ) as publisher_row,
        lag(operation) over (
            partition by publication, article, row_key, transaction_key
            order by queue_position
        ) as operation_before
    from proposed
),

-- one row per change: whether it deletes what is gone already, in its own transaction or before it
emptied as (
    select
        *,
        operation = 'delete'
        and coalesce(
            operation_before = 'delete',
            coalesce(publisher_row.is_deleted, true)
        ) as is_empty_delete
    from met
),

-- one row per change: the last row that its transaction made before it, as if that had applied
preceded as (
    select
        *,
        last_value(if(is_empty_delete, null, proposed_row), true) over (
            partition by publication, article, row_key, transaction_key
            order by queue_position
            rows between unbounded preceding and 1 preceding
        ) as row_before_in_transaction
    from emptied
),

-- one row per change: the row that the change itself met
held as (
    select
        * except (operation_before, is_empty_delete, row_before_in_transaction),
        coalesce(row_before_in_transaction, publisher_row) as held_row,
        coalesce(
            not coalesce(row_before_in_transaction, publisher_row).is_deleted, false
        ) as is_row_held
    from preceded
),

-- one row per change: did it know the row that it met
compared as (
    select
        *,
        {{ version_comparison('operation', 'old_version', 'held_row.version')
            | indent(4) }} as comparison
    from held
),

-- one row per change: the conflict that it is in. A change made at the publisher is in conflict
-- only with something that it overwrites; it is not held up by it
classified as (
    select
        *,
        case
            when is_publisher_change and held_row is null then null
            else {{ conflict_kind('operation', 'comparison', 'is_row_held') | indent(12) }}
        end as kind_met
    from compared
),

-- one row per change: the conflicts of its whole transaction
transactions as (
    select
        *,
        kind_met is not null and not is_publisher_change as is_conflict,
        max(kind_met is not null and not is_publisher_change) over (
            partition by publication, transaction_key
        ) as has_conflict,
        first_value(
            if(
                kind_met is not null and not is_publisher_change,
                struct(coalesce(held_row.node, publisher) as node, held_row.change_id),
                null
            ),
            true
        ) over (
            partition by publication, transaction_key
            order by queue_position
            rows between unbounded preceding and unbounded following
        ) as transaction_winner
    from classified
),

-- one row per change: whether its subscription waits for a reinitialization, marked by an earlier
-- conflict
subscriptions as (
    select
        *,
        policy = 'publisher_wins_reinitialize'
        and not is_publisher_change
        and (
            was_waiting_before_run
            or coalesce(
                max(has_conflict and not is_publisher_change) over (
                    partition by publication, node, reinitialization
                    order by transaction_position
                    range between unbounded preceding and 1 preceding
                ),
                false
            )
        ) as is_waiting
    from transactions
),

judged as (
    select
        *,
        {{ transaction_verdict('policy', 'is_publisher_change', 'is_waiting', 'has_conflict')
            | indent(4) }} as verdict
    from subscriptions
),

decided as (
    select
        *,
        {{ change_outcome('verdict', 'operation', 'is_row_held', 'is_conflict')
            | indent(4) }} as outcome,
        {{ deciding_rule(
            'policy', 'is_publisher_change', 'is_waiting', 'has_conflict', 'is_conflict'
        ) | indent(4) }} as rule,
        verdict = 'rejected' as is_rejected,
        -- what is undone with its transaction, or while its subscription waits, is a conflict of
        -- its own
        case
            when verdict = 'accepted' then kind_met
            when is_conflict and not is_waiting then kind_met
            when operation in ('insert', 'update') then 'condemned'
        end as conflict_kind
    from judged
),

-- one row per change: whether it was made on the change of its node before it
linked as (
    select
        *,
        not is_rejected and outcome <> 'already_deleted' as is_written,
        not coalesce(
            old_version = lag(new_version) over (
                partition by publication, article, row_key, node
                order by transaction_position, queue_position
            ),
            false
        ) as is_chain_start
    from decided
),

-- one row per change: changes of one node to one row, each made on the one before, are a chain
chained as (
    select
        *,
        count_if(is_chain_start) over (
            partition by publication, article, row_key, node
            order by transaction_position, queue_position
        ) as chain_number
    from linked
),

-- one row per change: up to where the queue is settled. Whatever was assumed before the first
-- transaction that was decided otherwise than assumed is right, and so is the decision about that
-- transaction itself
settled as (
    select
        *,
        min(if(is_written <> guess, transaction_position, null)) over (
            partition by publication
        ) as settled_position
    from chained
),

-- one row per change: what the next round assumes. The decision itself would do; but a chain of a
-- thousand changes would then take a thousand rounds. A chain mostly stands or falls as its first
-- change does, and from its first rejected change on it falls: some rounds assume that, ever more
-- seldom, and never of what is settled. So every round settles at least one transaction more.
guessed as (
    select
        *,
        case
            when transaction_position <= settled_position then is_written
            when bit_count(round_number) = 1 then first_value(is_written) over in_chain
            when bit_count(round_number - 1) = 1 then min(is_written) over in_chain
            else is_written
        end as next_guess
    from settled
    window in_chain as (
        partition by publication, article, row_key, node, chain_number
        order by transaction_position, queue_position
    )
),

final as (
    select
        publication,
        article,
        row_key,
        change_id,
        node,
        is_publisher_change,
        transaction_key,
        transaction_position,
        queue_position,
        operation,
        old_version,
        new_version,
        policy,
        publisher,
        held_before_run,
        reinitialization,
        was_waiting_before_run,
        is_contended,
        round_number,
        guess,
        comparison,
        held_row,
        publisher_row,
        outcome,
        rule,
        is_rejected,
        conflict_kind,
        {{ conflict_type('conflict_kind', 'is_rejected') | indent(4) }} as conflict_type,
        case
            when conflict_kind is null then null
            when is_rejected then node
            else coalesce(held_row.node, publisher)
        end as loser_node,
        case
            when conflict_kind is null then null
            when is_rejected then change_id
            else held_row.change_id
        end as loser_change_id,
        case
            when conflict_kind is null then null
            when not is_rejected then node
            when is_waiting then publisher
            when is_conflict then coalesce(held_row.node, publisher)
            else transaction_winner.node
        end as winner_node,
        case
            when conflict_kind is null then null
            when not is_rejected then change_id
            -- against the publisher as such, whoever made the row that it holds
            when is_waiting then null
            when is_conflict then held_row.change_id
            else transaction_winner.change_id
        end as winner_change_id,
        is_written,
        next_guess,
        'taken' as intake,
        '{{ invocation_id }}' as run_id
    from guessed
)

select * from final
