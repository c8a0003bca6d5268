{#- what only keys need is planned only with them -#}
{%- set with_keys = publications_with_keys('queued') -%}
{{ config(
    enabled=has_queued_updating(),
    materialized='rounds',
    first_round='change_queue',
    taking="intake = 'taken' and replication = 'queued' and is_disputed",
    independent_by='publication',
    again='is_contended',
    unsettled='is_contended and needs_another_round',
    round_limit='select 3 * count(*) + 1 from previous_round'
) }}

-- One row per change of this run under queued updating in whose transaction anything is disputed:
-- what a reader that takes the queue one transaction at a time decides about it. Of the others
-- undisputed_decisions knows it without asking.
--
-- A round assumes of every change whether it makes a version of its row (guess), looks at every
-- change against the row as the publisher held it then, and decides. Rounds go on until every
-- decision is what was assumed. A decision depends on earlier ones alone, so that is the sequential
-- reader's result.
--
-- The first round assumes what change_queue says. What every other one assumes comes here first:
-- mostly what the round before has decided.

with

round_before as (select * from {{ previous_round(ref('change_queue')) }}),

settled_positions as (
    {{ settled_positions('round_before') | indent(4) }}
),

-- one row per change: whether it was made on the change of its node before it
linked as (
    select
        *,
        not coalesce(
            old_version = lag(new_version) over (
                partition by publication, article, row_key, node
                order by transaction_position, queue_position, change_id
            ),
            false
        ) as is_chain_start
    from round_before
),

-- one row per change: changes of one node to one row, each made on the one before, are a chain
chained as (
    select
        *,
        count_if(is_chain_start) over (
            partition by publication, article, row_key, node
            order by transaction_position, queue_position, change_id
        ) as chain_number
    from linked
),

-- one row per change: the last decision that came otherwise than assumed, up to this change of its
-- chain
following as (
    select
        *,
        last_value(if(is_written <> guess, is_written, null), true) over (
            partition by publication, article, row_key, node, chain_number
            order by transaction_position, queue_position, change_id
        ) as is_written_before
    from chained
),

-- one row per change: up to where the queue of its publication is settled
settled as (
    select /*+ broadcast(settled_positions) */
        following.*,
        settled_positions.settled_position
    from following
    left join settled_positions on following.publication = settled_positions.publication
),

{% if with_keys -%}
-- one row per change: which change of its transaction fails. The whole transaction falls with it:
-- it is assumed to fail at once, and looked at again as if it did not, until everything before it
-- is settled. Then the failure is final, and the transaction is judged again without the change
judged_keys as (
    select
        *,
        if(
            not is_failure_final or transaction_position = settled_position,
            failing_change_id,
            null
        ) as adopted_change_id,
        not is_failure_final
        and breaks_keys_otherwise
        and failing_change_id is null as is_failure_withdrawn
    from settled
),

-- one row per change: the constraint that the next round assumes it to break
failed as (
    select
        *,
        case
            when change_id = adopted_change_id then key_failure
            when is_failure_final then guessed_failure
        end as next_failure
    from judged_keys
),

-- one row per change: whether the next round takes its transaction's failure for good. A single
-- change needs no further look
concluded as (
    select
        *,
        is_failure_final
        or (
            coalesce(transaction_position <= settled_position, true)
            and max(next_failure is not null) over of_transaction
            and count(*) over of_transaction > 1
        ) as next_failure_is_final
    from failed
    window of_transaction as (partition by publication, transaction_key)
),
{% endif %}
-- one row per change: what the round assumes. The decision of the one before would do; but a chain
-- of a thousand changes would then take a thousand rounds. A chain mostly stands or falls with a
-- change that was just decided otherwise than assumed, so what comes after that change is assumed
-- to do as it does. Never what is settled: so every round settles at least one transaction more.
assumed as (
    select
        *,
        case
            {%- if with_keys %}
            when adopted_change_id is not null then false
            when is_failure_withdrawn then would_apply
            {%- endif %}
            when transaction_position <= settled_position then is_written
            else coalesce(is_written_before, is_written)
        end as next_guess
    from {{ 'concluded' if with_keys else 'settled' }}
),

-- one row per change: what the round looks at
looked_at as (
    select
        {{ columns_of_round('queued') | join(',\n        ') }},
        node,
        intake,
        run_id,
        round_number,
        {%- if with_keys %}
        next_failure as guessed_failure,
        next_failure_is_final as is_failure_final,
        {%- else %}
        guessed_failure,
        is_failure_final,
        {%- endif %}
        next_guess as guess
    from assumed
)

select * from looked_at{{ end_of_assumptions() }}
with

disputed_transactions as (
    select transaction_hash from {{ ref('disputed_transactions') }}
    where run_id = '{{ invocation_id }}'
),

changes as (
    select
        {{ columns_of_round('queued') | join(',\n        ') }},
        {{ acting_node() }} as node,
        {{ row_hash() }} as row_hash,
        {{ transaction_hash() }} as transaction_hash,
        round_number + 1 as round_number,
        guess,
        guessed_failure,
        is_failure_final
    from {{ previous_round(ref('change_queue')) }}
    where
        intake = 'taken'
        and replication = 'queued'
        and run_id = '{{ invocation_id }}'
),

disputed_changes as (
    select changes.*
    from changes
    left semi join disputed_transactions
        on changes.transaction_hash = disputed_transactions.transaction_hash
),

-- == What a change met, and the conflict that it is in ==

-- one row per change: whether a decision of this run may look at what is assumed of it
followed as (
    select
        * except (is_looked_at),
        is_looked_at
        or {{ is_followed('transaction_position, queue_position, change_id') }} as is_looked_at
    from disputed_changes
),

-- one row per change: the row as it leaves it, if it applies, where anybody looks at it
proposed as (
    select
        *,
        case
            when is_looked_at
                then {{ row_state(
                    "if(operation = 'delete', null, new_version)", 'node', 'change_id',
                    "operation = 'delete'", 'true', row='change_row'
                ) | indent(16) }}
        end as proposed_row
    from followed
),

-- one row per change: the row as the publisher held it just before the change, as the last change
-- before it has left it that is assumed to apply. In a row's order the changes of one transaction
-- stand together, so one order serves for all that is asked about a row: sorting takes longest here
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
        order by transaction_position, queue_position, change_id
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
            order by transaction_position, queue_position, change_id
            rows between unbounded preceding and 1 preceding
        ) as proposal_before
    from beside_delete
),

-- one row per change: the row that it met. Of two changes of one row in one transaction the second
-- is looked at as if the first had applied
met as (
    select
        * except ({{ '' if with_keys else 'proposed_row, ' }}is_empty_delete, proposal_before),
        coalesce(
            if(
                proposal_before.transaction_key = transaction_key,
                proposal_before.proposed_row,
                null
            ),
            publisher_row
        ) as held_row
    from beside_transaction
),

-- one row per change: did it know the row that it met
compared as (
    select
        *,
        coalesce(not held_row.is_deleted, false) as is_row_held,
        {{ version_comparison('operation', 'old_version', 'held_row.version') }} as comparison
    from met
),

-- one row per change: the conflict that it is in. A change made at the publisher is in conflict
-- only with something that it overwrites; it is not held up by it
classified as (
    select
        *,
        if(
            is_publisher_change and held_row is null,
            null,
            {{ queued_conflict_kind('operation', 'comparison', 'is_row_held') | indent(8) }}
        ) as kind_met
    from compared
),

-- one row per change: whether it is in a conflict that counts for its transaction
contested as (
    select
        *,
        kind_met is not null and not is_publisher_change as is_conflict
    from classified
),

-- == Whether its transaction stands ==

-- one row per change: the conflicts of its whole transaction, and whether the decision about any of
-- its changes may depend on another decision of this run
transactions as (
    select
        * except (is_contended),
        max(is_contended) over of_transaction as is_contended,
        max(is_conflict) over of_transaction as has_conflict,
        -- against what its first conflict was lost, if the transaction is rejected
        min_by(
            {{ maker_side('publisher_row') }},
            if(is_conflict, struct(queue_position, change_id), null)
        ) over of_transaction as transaction_winner
    from contested
    window of_transaction as (partition by transaction_hash, publication, transaction_key)
),

-- one row per change: whether its subscription waits for a reinitialization, marked by an earlier
-- conflict
subscriptions as (
    select
        *,
        {% if has_reinitialization() -%}
        coalesce(policy = 'publisher_wins_reinitialize', false)
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
        )
        {%- else -%}
        false
        {%- endif %} as is_waiting
    from transactions
),

-- one row per change: whether the rules so far would apply it
allowed as (
    select
        *,
        case
            when operation = 'delete' and not is_row_held then false
            else {{ queued_verdict(
                policy='policy', is_publisher_change='is_publisher_change',
                is_waiting='is_waiting', has_conflict='has_conflict', has_failure='false'
            ) | indent(12) }} = 'accepted'
        end as is_allowed,
        {{ row_failure(
            row="if(operation = 'delete', null, change_row)",
            held_row='if(is_row_held, held_row.row, null)', replication='queued'
        ) | indent(4) }} as own_failure
    from subscriptions
),

-- one row per change: the constraint that it breaks. What is done at the publisher breaks none
failing as (
    select
        *,
        case
            when is_publisher_change then null
            when is_allowed then coalesce(guessed_failure, own_failure)
        end as failure
    from allowed
),

-- one row per change: whether any change of its transaction fails
judged as (
    select
        *,
        max(failure is not null) over (
            partition by transaction_hash, publication, transaction_key
        ) as has_failure
    from failing
),

-- one row per change: whether it stands or falls, with its transaction
ruled as (
    select
        *,
        {{ queued_verdict(
            policy='policy', is_publisher_change='is_publisher_change', is_waiting='is_waiting',
            has_conflict='has_conflict', has_failure='has_failure'
        ) | indent(4) }} as verdict
    from judged
),

-- == What becomes of it, by which rule, and against whom ==

{{ interventions_of_round('ruled') }},

-- one row per change: what becomes of it, and of what kind its conflict is
decided as (
    select
        *,
        {{ by_intervention(
            intervention='intervention_outcome',
            change=queued_outcome(
                verdict='verdict', failure='failure', operation='operation',
                is_row_held='is_row_held', is_conflict='is_conflict'
            )
        ) | indent(4) }} as outcome,
        verdict <> 'accepted' as is_rejected,
        -- what is undone with its transaction, or while its subscription waits, is a conflict of
        -- its own
        case
            when intervention.kind = 'refused_command'
                then concat('failed_', intervention.operation)
            when intervention is not null then null
            when failure is not null then concat('failed_', operation)
            when verdict = 'accepted' then kind_met
            when is_conflict and not is_waiting then kind_met
            when operation in ('insert', 'update') then 'condemned'
        end as conflict_kind,
        -- who stands against it in the conflict: of a rejected transaction nothing stands, so no
        -- change of it wins over another
        case
            when failure is not null then {{ publisher_side() }}
            when verdict <> 'accepted' then {{ maker_side('publisher_row') }}
            else {{ maker_side('held_row') }}
        end as opponent
    from intervened
),

-- one row per change: whether it makes a version of its row
left_behind as (
    select
        *,
        {{ by_intervention(
            intervention='intervention.kind',
            change=queued_rule(
                policy='policy', is_publisher_change='is_publisher_change', is_waiting='is_waiting',
                has_conflict='has_conflict', is_conflict='is_conflict', has_failure='has_failure',
                failure='failure'
            )
        ) | indent(4) }} as rule,
        {%- if with_keys %}
        -- no transaction is taken behind a place of the queue
        transaction_position as session_end,
        -- a transaction that breaks a key is looked at again as if it did not, until what came
        -- before it is settled
        {{ by_intervention(
            intervention='is_intervention_written',
            change='is_allowed and'
            ~ ' (failure is null or (not is_failure_final and own_failure is null))'
        ) }} as would_apply,
        {%- endif %}
        {{ by_intervention(
            intervention='is_intervention_written', change="outcome in ('applied', 'won')"
        ) }} as is_written
    from decided
)

-- == Which keys are broken at the end of a transaction ==

{% if with_keys -%}
-- what the statements behind this one look at
select
    * except (
        row_hash, transaction_hash, kind_met, has_conflict, is_row_held, is_allowed, own_failure,
        verdict, intervention_outcome, is_intervention_written
    )
from left_behind{{ end_of_stage('decided') }}
{{ row_makers(
    stage('decided'), 'queued', row_after='change_row', row_before='publisher_row'
) }}{{ end_of_stage('makers', with_keys) }}
{{ keys_at_the_end(
    stage('decided'), stage('makers'), 'queued'
) }}{{ end_of_stage('ends', with_keys) }}
with

{{ key_violations(stage('makers'), stage('ends'), 'queued') }},

-- one row per change: the change of its transaction that is the first to break a key
checked as (
    select
        decided.*,
        violations.failing_change_id,
        violations.failure as key_failure
    from {{ stage('decided') }} as decided
    left join violations
        on
            decided.publication = violations.publication
            and decided.transaction_key = violations.transaction_key
            and violations.change_id = violations.failing_change_id
),

-- one row per change: whether its transaction breaks other keys than assumed. What is final is left
-- out when the rest of the transaction is judged, so a key that is broken then is another one
broken as (
    select
        *,
        case
            when is_failure_final then failing_change_id is not null
            else max(
                    if(
                        failing_change_id is null,
                        guessed_failure is not null,
                        change_id = failing_change_id and not guessed_failure <=> key_failure
                    )
                ) over (partition by publication, transaction_key)
        end as breaks_keys_otherwise
    from checked
),
{% else -%}
, broken as (select * from left_behind),
{% endif %}

-- == What the round says, and whether it is what was assumed ==

-- one row per change: whether it was decided otherwise than assumed, and a decision may have looked
-- at what was assumed; and both sides of its conflict
compared_with_guess as (
    select
        *,
        is_looked_at and is_written <> guess as differs_from_guess,
        {{ losing_side() | indent(4) }} as loser,
        case
            when conflict_kind is null then null
            when intervention is not null then {{ publisher_side() }}
            when not is_rejected then struct(node, change_id)
            -- against the publisher as such, whoever made the row that it holds
            when is_waiting then {{ publisher_side() }}
            when is_conflict or failure is not null then opponent
            when has_failure then {{ publisher_side() }}
            else transaction_winner
        end as winner
    from broken
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
        intervention,
        old_version,
        new_version,
        replication,
        -- what only a further look needs: writing values takes longer than deciding about them
        if(is_contended, change_row, null) as change_row,
        policy,
        publisher,
        contending_priority,
        if(is_contended, held_before_run, null) as held_before_run,
        reinitialization,
        was_waiting_before_run,
        is_contended,
        is_looked_at,
        round_number,
        guess,
        guessed_failure,
        is_failure_final,
        {%- if with_keys %}
        breaks_keys_otherwise,
        failing_change_id,
        key_failure,
        would_apply,
        differs_from_guess or breaks_keys_otherwise as is_unsettled,
        -- the failure of one of several changes is judged once more, for good
        differs_from_guess
        or breaks_keys_otherwise
        or (
            not is_failure_final
            and failing_change_id is not null
            and count(*) over (partition by publication, transaction_key) > 1
        ) as needs_another_round,
        {%- else %}
        differs_from_guess as is_unsettled,
        differs_from_guess as needs_another_round,
        {%- endif %}
        comparison,
        held_row.version as held_version,
        held_row.node as held_node,
        held_row.change_id as held_change_id,
        publisher_row.version as version_before,
        -- the row whose values are kept with the decision: what stays at the publisher where the
        -- change was rejected, what was overwritten where it won
        case
            when is_rejected then publisher_row
            when conflict_kind is not null or {{ has_row_filter('queued') }} then held_row
        end as kept_row,
        outcome,
        rule,
        is_rejected,
        {{ by_intervention(intervention='intervention.failure', change='failure') }} as failure,
        conflict_kind,
        {{ conflict_type(
            conflict_kind='conflict_kind', is_change_loser='is_rejected', is_column_tracked='false',
            is_reported='intervention is not null'
        ) | indent(4) }} as conflict_type,
        loser.node as loser_node,
        loser.change_id as loser_change_id,
        winner.node as winner_node,
        winner.change_id as winner_change_id,
        is_written,
        'taken' as intake,
        run_sequence,
        '{{ invocation_id }}' as run_id
    from compared_with_guess
)

select * from final
