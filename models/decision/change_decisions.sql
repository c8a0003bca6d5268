{#- what only one kind of replication needs is left out without it: planning costs time, and a
    transaction's changes are brought together for its own sake -#}
{%- set has_merge = is_merge() -%}
{%- set has_queued = is_queued() -%}
{%- set with_records = has_records() -%}
{%- set own_failure = record_own_failure() if with_records else 'own_failure' -%}
{#- and so is what only decisions of people and refused commands need -#}
{%- set has_interventions = has_interventions() -%}
{%- set has_keys = key_constraints() | length > 0 -%}
{#- whom stages are about -#}
{%- set of_records = record_articles() | map(attribute='publication') | unique | list -%}
{%- set of_keys = key_constraints() | map(attribute='publication') | unique | list -%}
{#- where rows are apart, one that is settled is not looked at again -#}
{%- set with_rows_apart = publications_with_rows_apart() -%}
{%- set again = 'is_contended' if not with_rows_apart else "is_contended and (
    not " ~ is_one_of('publication', with_rows_apart) ~ "
    or coalesce(
        (publication, article, row_key) in (
            select publication, article, row_key from previous_round where needs_another_round
        ),
        false
    )
)" -%}
{{ config(
    materialized='rounds',
    first_round='change_queue',
    taking="intake = 'taken'",
    apart='publication',
    again=again,
    unsettled='is_contended and needs_another_round',
    round_limit='select 3 * count(*) + 1 from previous_round'
) }}

{#- what merge replication says of a change that is no part of a logical record -#}
{%- set verdict_alone = merge_verdict(
    'is_publisher_change', 'kind_met', 'failure', 'is_change_winner'
) -%}
{%- set outcome_alone = merge_outcome(
    'verdict', 'comparison', 'operation', 'is_row_held', 'is_conflict', 'is_same_value',
    'is_conflict and coalesce(resolution.is_waiting, false)',
    "keeps_other_columns and (comparison = 'concurrent' or "
    ~ rows_differ('row_after', 'change_row') ~ ")"
) -%}
{%- set rule_alone = merge_rule(
    'outcome', 'is_publisher_change', 'is_conflict', resolver_of_article()
) -%}
{%- set type_alone = conflict_type(
    'conflict_kind', 'is_rejected', "not array_contains(tracked_columns, '*')",
    is_reported='intervention is not null' if has_interventions else 'false'
) %}

-- One row per change of this run: what a reader that takes the queue one transaction at a time
-- decides about it.
--
-- A round assumes of every change whether it makes a version of its row (guess) and under merge
-- replication which (guessed_state), looks at every change against the row as the publisher held it
-- then, and decides. Rounds go on until every decision is what was assumed. A decision depends on
-- earlier ones alone, so that is the sequential reader's result.
--
-- The first round assumes what change_queue says. What every other one assumes comes here first:
-- mostly what the round before has decided.

with

round_before as (select * from {{ previous_round(ref('change_queue')) }}),

-- one row per publication: up to where the queue is settled. Whatever was assumed before the first
-- transaction that was decided otherwise than assumed is right, and so is the decision about that
-- transaction itself
settled_positions as (
    select
        publication,
        min(transaction_position) as settled_position
    from round_before
    where is_unlike_guess
    group by publication
),

-- one row per change: whether it was made on the change of its node before it
linked as (
    select
        *,
        not coalesce(
            old_version = lag(new_version) over (
                partition by publication, article, row_key, node
                order by transaction_position, queue_position
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
            order by transaction_position, queue_position
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
            order by transaction_position, queue_position
        ) as is_written_before
    from chained
),

settled as (
    select /*+ broadcast(settled_positions) */
        following.*,
        settled_positions.settled_position
    from following
    left join settled_positions on following.publication = settled_positions.publication
),

{% if has_keys -%}
-- one row per change: which change of its transaction fails. Under merge replication the rest of a
-- session stands, so a failure counts once everything before the session is settled, and the rest
-- of it as well. Under queued updating the whole transaction falls: it is assumed to fail at once,
-- and looked at again as if it did not, until everything before it is settled. Either is then
-- final, and the transaction is judged again without the change
judged_keys as (
    select
        *,
        if(
            not is_failure_final
            or (
                transaction_position = settled_position
                and not max(differs_from_guess) over (partition by publication, transaction_key)
            ),
            failing_position,
            null
        ) as adopted_position,
        not is_failure_final
        and breaks_keys_otherwise
        and failing_position is null as is_failure_withdrawn
    from settled
),

failed as (
    select
        *,
        case
            when queue_position = adopted_position then key_failure
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
            {%- if has_keys %}
            -- under queued updating the whole transaction falls with the change
            when
                adopted_position is not null
                and (replication = 'queued' or queue_position = adopted_position)
                then false
            when is_failure_withdrawn then would_apply
            {%- endif %}
            when transaction_position <= settled_position then is_written
            else coalesce(is_written_before, is_written)
        end as next_guess
    from {{ 'concluded' if has_keys else 'settled' }}
)

select
    publication,
    article,
    row_key,
    change_id,
    node,
    {%- if has_interventions %}
    intervention,
    {%- endif %}
    is_publisher_change,
    transaction_key,
    transaction_position,
    queue_position,
    operation,
    old_version,
    new_version,
    replication,
    lineage,
    known_position,
    previous_values,
    written_columns,
    tracked_columns,
    ignores_equal_values,
    contending_priority,
    defending_priority,
    change_row,
    policy,
    publisher,
    held_before_run,
    reinitialization,
    was_waiting_before_run,
    is_contended,
    is_looked_at,
    round_number,
    {%- if with_records %}
    is_run_row,
    cause_change_id,
    {%- endif %}
    {%- if has_keys %}
    next_failure as guessed_failure,
    next_failure_is_final as is_failure_final,
    {%- else %}
    guessed_failure,
    is_failure_final,
    {%- endif %}
    intake,
    run_id,
    next_guess as guess,
    if(next_guess, state_after, null) as guessed_state
from assumed{{ end_of_assumptions() }}
with

changes as (
    select
        publication,
        article,
        row_key,
        {{ row_hash() }} as row_hash,
        change_id,
        {%- if has_interventions %}
        if(intervention is null, node, concat(publisher, '*')) as node,
        intervention,
        {%- else %}
        node,
        {%- endif %}
        is_publisher_change,
        transaction_key,
        {{ transaction_hash() }} as transaction_hash,
        transaction_position,
        queue_position,
        operation,
        old_version,
        new_version,
        replication,
        lineage,
        known_position,
        previous_values,
        written_columns,
        tracked_columns,
        ignores_equal_values,
        contending_priority,
        defending_priority,
        if({{ publication_needs_values() }}, change_row, null) as change_row,
        policy,
        publisher,
        concat(publisher, '*') as run_node,
        held_before_run,
        reinitialization,
        was_waiting_before_run,
        is_contended,
        is_looked_at,
        round_number + 1 as round_number,
        guess,
        guessed_state,
        {%- if with_records %}
        is_run_row,
        cause_change_id,
        {%- endif %}
        guessed_failure,
        is_failure_final
    from {{ previous_round(ref('change_queue')) }}
    where
        intake = 'taken'
        and run_id = '{{ invocation_id }}'
),

{% if has_merge -%}
-- one row per change: what it writes under merge replication, if it applies to the row that the
-- run found
numbered as (
    select
        *,
        coalesce(lineage[node], coalesce(held_before_run.lineage[node], 0) + 1) as number,
        written_columns as standing_columns,
        replication = 'merge'
        and operation = 'update'
        and coalesce(not held_before_run.is_deleted, false)
        and not array_contains(tracked_columns, '*') as keeps_other_columns
    from changes
),

-- one row per change: the version that it makes then
versioned as (
    select
        *,
        if(operation = 'delete', null, {{ version_text('node', 'number') }}) as version,
        {{ change_writer(has_interventions) | indent(8) }} as own_writer
    from numbered
),
{%- endif %}

-- one row per change: the row as the change leaves it, if it applies, where anybody looks at it
proposed as (
    select
        *{{ ' except (number, version, own_writer, standing_columns, keeps_other_columns)'
        if has_merge }},
        case
            when is_looked_at
                then {{ by_replication(
                    queued=row_state(
                        "if(operation = 'delete', null, new_version)", 'node', 'change_id',
                        "operation = 'delete'", 'true', row='change_row'
                    ),
                    merge='coalesce(guessed_state, ' ~ applied_state(
                        'keeps_other_columns',
                        merged_row(
                            'keeps_other_columns', 'operation', 'written_columns', 'change_row',
                            'held_before_run'
                        ),
                        'held_before_run',
                        known_lineage='if(' ~ is_record_detected_whole() ~ ', null, lineage)'
                        if with_records else 'lineage'
                    ) ~ ')'
                ) | indent(20) }}
        end as proposed_row
    from {{ 'versioned' if has_merge else 'changes' }}
),

-- one row per change: what the publisher held before it
met as (
    select
        *,
        {%- if has_queued %}
        lag(operation) over (
            partition by row_hash, publication, article, row_key, transaction_key
            order by queue_position
        ) as operation_before,
        {%- endif %}
        coalesce(
            last_value(if(guess, proposed_row, null), true) over (
                partition by row_hash, publication, article, row_key
                order by transaction_position, {{ 'is_run_row, ' if with_records }}queue_position
                rows between unbounded preceding and 1 preceding
            ),
            held_before_run
        ) as publisher_row
    from proposed
),

{% if has_queued -%}
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
            partition by row_hash, publication, article, row_key, transaction_key
            order by queue_position
            rows between unbounded preceding and 1 preceding
        ) as row_before_in_transaction
    from emptied
),

-- one row per change: the row that the change itself met
held as (
    select
        * except (operation_before, is_empty_delete, row_before_in_transaction),
        if(
            replication = 'queued',
            coalesce(row_before_in_transaction, publisher_row),
            publisher_row
        ) as held_row
    from preceded
),
{%- else -%}
held as (
    select
        *,
        publisher_row as held_row
    from met
),
{%- endif %}

-- one row per change: did it know the row that it met
compared as (
    select
        *,
        coalesce(not held_row.is_deleted, false) as is_row_held,
        {{ by_replication(
            queued=version_comparison('operation', 'old_version', 'held_row.version'),
            merge=lineage_comparison('lineage', 'known_position', 'node', 'held_row')
        ) | indent(4) }} as comparison
    from held
),

{% if has_merge -%}
-- one row per change: what it contends for under merge replication
contested as (
    select
        *,
        case
            when replication = 'merge' and comparison = 'concurrent'
                then {{ contested_columns(
                    'lineage', 'known_position', 'node', 'written_columns', 'held_row'
                ) | indent(12) }}
        end as contested,
        -- the number of its version; a feed without lineages has none, and its versions are counted
        -- for each row
        coalesce(lineage[node], coalesce(held_row.lineage[node], 0) + 1) as number,
        coalesce(held_row.lineage[run_node], 0) + 1 as run_number
    from compared
),

-- one row per change: whether it says nothing else in what it contends for than what is held, and
-- its article lets that pass
equaled as (
    select
        *,
        map_keys(contested) as contested_columns,
        coalesce(
            ignores_equal_values
            and is_row_held
            and operation <> 'delete'
            and size(contested) > 0
            and not {{ rows_differ(
                'held_row.row', 'change_row',
                "if(array_contains(tracked_columns, '*'), map_keys(change_row), map_keys(contested))"
            ) | indent(12) }},
            false
        ) as is_equal
    from contested
),

-- one row per change: the columns that it writes, if it stands
narrowed as (
    select
        * except (is_equal),
        if(is_equal, array_except(written_columns, contested_columns), written_columns)
            as standing_columns,
        is_equal
        and (
            operation = 'insert' or size(array_except(written_columns, contested_columns)) = 0
        ) as is_same_value,
        size(contested) > 0 and not is_equal as is_contested,
        array_max(map_values(contested)) as defender
    from equaled
),
{%- else -%}
narrowed as (select * from compared),
{%- endif %}

-- one row per change: the conflict that it is in. A change made at the publisher is in conflict
-- only with something that it overwrites; it is not held up by it
classified as (
    select
        *,
        {{ by_replication(
            queued='if(is_publisher_change and held_row is null, null, '
            ~ conflict_kind('operation', 'comparison', 'is_row_held') ~ ')',
            merge=merge_conflict_kind('operation', 'comparison', 'is_row_held', 'is_contested')
        ) | indent(4) }} as kind_met
    from narrowed
){{ ',' if not with_records }}
{% if with_records %}
select * from classified{{ end_of_stage('alone') }}
{{ record_spans(stage('alone')) }}{{ end_of_stage('spans', of_records) }}
{{ record_groups(stage('alone'), stage('spans')) }}{{ end_of_stage('groups', of_records) }}
{{ record_members(stage('groups'), stage('spans')) }}{{ end_of_stage('members', of_records) }}
{{ record_changes(stage('alone'), stage('groups')) }}{{ end_of_stage('parts', of_records) }}
{{ record_opponents(stage('parts'), stage('members')) }}{{ end_of_stage('opponents', of_records) }}
{{ record_verdicts(
    stage('parts'), stage('members'), stage('opponents')
) }}{{ end_of_stage('verdicts', of_records) }}
{{ replaced_rows(
    stage('parts'), stage('members'), stage('verdicts')
) }}{{ end_of_stage('replaced', of_records) }}
with

{{ record_decisions(
    stage('alone'), stage('groups'), stage('parts'), stage('members'), stage('opponents'),
    stage('verdicts'), stage('replaced')
) }},
{% endif %}

{% if has_merge -%}

-- one row per change: what its article's resolver says about the conflict. No resolver is asked
-- about a change made at the publisher, and none about an insert of a key that is taken
resolved as (
    select
        *,
        case
            when
                replication = 'merge'
                and not is_publisher_change
                and kind_met <> 'insert_insert'
                then {{ resolution_of_conflict() | indent(12) }}
        end as resolution
    from {{ 'recorded' if with_records else 'classified' }}
),

-- one row per change: the row that the resolver made of both sides, where it computed a value
computed as (
    select
        *,
        coalesce(
            {{ "record_verdict = 'won'" if with_records else 'null' }},
            resolution.winner = 'change',
            contending_priority > defender.priority
        ) as is_change_winner_by_rule,
        case
            when resolution.is_computed
                then transform_values(
                        if(contending_priority > defender.priority, change_row, held_row.row),
                        (computed_column, value) -> if(
                            computed_column = resolution.column_name, resolution.value, value
                        )
                    )
        end as computed_row
    from resolved
),

-- one row per change: who wins its conflict. Where the computed row equals one side, that side has
-- won; where it equals neither, it is a version of the run's own
won as (
    select
        * except (equals_change, equals_held, is_change_winner_by_rule),
        coalesce(
            if(equals_change <=> equals_held, is_change_winner_by_rule, equals_change), false
        ) as is_change_winner,
        coalesce(not equals_change and not equals_held, false) as is_resolved_row,
        case
            when
                replication = 'merge'
                {%- if with_records %}
                and kind_alone = 'insert_insert'
                and not record_verdict <=> 'lost'
                {%- else %}
                and kind_met = 'insert_insert'
                {%- endif %}
                and not is_publisher_change
                then {{ failure(2627, 'primary key') }}
            when resolution.is_overflow then {{ failure(8115, 'overflow of a computed value') }}
        end as failure_met
    from (
        select
            *,
            if(
                computed_row is null, null, not {{ rows_differ('computed_row', 'change_row') }}
            ) as equals_change,
            if(
                computed_row is null, null, not {{ rows_differ('computed_row', 'held_row.row') }}
            ) as equals_held
        from computed
    )
),

-- one row per change: what would be left of the row under merge replication, if the change stands
replaced as (
    select
        * except (keeps_other_columns),
        if(operation = 'delete', null, {{ version_text('node', 'number') }}) as version,
        {{ change_writer(has_interventions) | indent(8) }} as own_writer,
        {{ row_writer(
            '100', 'transaction_position', 'queue_position', 'run_node', 'run_number', 'null'
        ) | indent(4) }} as run_writer,
        coalesce(keeps_other_columns, false) as keeps_other_columns,
        case
            when {{ "intervention.kind = 'submit_winner'" if has_interventions else 'false' }}
                then {{ (
                    overlaid_row('held_row.row', 'change_row') if has_interventions else 'null'
                ) | indent(12) }}
            when replication = 'merge'
                then coalesce(if(is_resolved_row, computed_row, null), {{ merged_row(
                    'keeps_other_columns', 'operation', 'standing_columns', 'change_row', 'held_row'
                ) | indent(12) }})
            else change_row
        end as row_after
    from (
        select
            *,
            replication = 'merge'
            and operation = 'update'
            and is_row_held
            and kind_met is null
            {%- if with_records %}
            and record_verdict is null
            {%- endif %}
            and not array_contains(tracked_columns, '*') as keeps_other_columns
        from won
    )
),
{%- else -%}
replaced as (
    select
        *,
        change_row as row_after,
        false as is_same_value,
        false as is_change_winner,
        false as is_resolved_row,
        cast(null as {{ failure_type() }}) as failure_met
    from classified
),
{%- endif %}

{% if has_queued or with_records -%}
-- one row per change: the conflicts of its whole transaction
transactions as (
    select
        *,
        kind_met is not null and not is_publisher_change as is_conflict,
        max(kind_met is not null and not is_publisher_change) over (
            partition by transaction_hash, publication, transaction_key
        ) as has_conflict,
        first_value(
            if(
                kind_met is not null and not is_publisher_change,
                struct(coalesce(held_row.node, publisher) as node, held_row.change_id),
                null
            ),
            true
        ) over (
            partition by transaction_hash, publication, transaction_key
            order by queue_position
            rows between unbounded preceding and unbounded following
        ) as transaction_winner
    from replaced
),
{%- else -%}
transactions as (
    select
        *,
        kind_met is not null and not is_publisher_change as is_conflict,
        false as has_conflict,
        cast(null as struct<node: string, change_id: string>) as transaction_winner
    from replaced
),
{%- endif %}

{% if has_reinitialization() -%}
-- one row per change: whether its subscription waits for a reinitialization, marked by an earlier
-- conflict
subscriptions as (
    select
        *,
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
        ) as is_waiting
    from transactions
),
{%- else -%}
subscriptions as (
    select
        *,
        false as is_waiting
    from transactions
),
{%- endif %}

-- one row per change: whether the rules so far would apply it
allowed as (
    select
        *,
        case
            {{ record_allowance() if with_records }}
            when operation = 'delete' and not is_row_held then false
            when is_publisher_change then not is_same_value
            when replication = 'queued'
                then not is_waiting and (not has_conflict or policy = 'subscriber_wins')
            when comparison = 'ancestor' or is_same_value then false
            else kind_met is null or is_change_winner or is_resolved_row
        end as is_allowed,
        {{ row_failure(
            "if(operation = 'delete', null, row_after)", 'if(is_row_held, held_row.row, null)'
        ) | indent(4) }} as own_failure
    from subscriptions
),

-- one row per change: the constraint that it breaks. What is done at the publisher breaks none
failing as (
    select
        *,
        case
            when is_publisher_change then null
            when failure_met is not null then failure_met
            when is_allowed then coalesce(guessed_failure, {{ own_failure }})
        end as failure
    from allowed
),

judged as (
    select
        *,
        {%- if with_records %}
        coalesce(
            group_key is not null
            and max(failure is not null) over (
                partition by publication, transaction_key, group_key
            ),
            false
        ) as has_record_failure,
        -- undone at the node only where every article that fails asks for it
        max(failure is not null and not coalesce(is_compensated, true)) over (
            partition by publication, transaction_key, group_key
        ) as is_record_kept_at_node,
        {%- endif %}
        {% if has_queued or with_records -%}
        max(failure is not null) over of_transaction
        {%- else -%}
        false
        {%- endif %} as has_failure
    from failing
    {%- if has_queued or with_records %}
    window of_transaction as (partition by transaction_hash, publication, transaction_key)
    {%- endif %}
),

ruled as (
    select
        *,
        {%- if with_records %}
        has_record_failure and failure is null and is_allowed as is_condemned,
        {%- endif %}
        {{ by_replication(
            queued=transaction_verdict(
                'policy', 'is_publisher_change', 'is_waiting', 'has_conflict', 'has_failure'
            ),
            merge=record_change_verdict(
                'is_run_row', 'failure', 'has_record_failure', 'is_allowed', verdict_alone
            ) if with_records else verdict_alone
        ) | indent(4) }} as verdict
    from judged
),

{% if has_interventions -%}
-- one row per change: what becomes of it where it is a decision of a person or a refused command
intervened as (
    {{ interventions_of_round('ruled') | indent(4) }}
),

{% endif -%}

decided as (
    select
        *,
        {{ by_intervention(has_interventions, 'intervention_outcome', by_replication(
            queued=change_outcome(
                'verdict', 'failure', 'operation', 'is_row_held', 'is_conflict'
            ),
            merge=record_outcome(
                "(operation <> 'image' and not is_run_row)", 'record_verdict', 'failure',
                'has_record_failure', 'is_allowed', 'is_opponent', 'is_publisher_change',
                outcome_alone
            ) if with_records else outcome_alone
        )) | indent(4) }} as outcome,
        verdict <> 'accepted' as is_rejected,
        {%- if with_records %}
        -- what a change has lost against that lost with its whole record
        if(
            record_verdict = 'lost', {{ version_text('defender.node', 'defender.number') }}, null
        ) as record_winner_version,
        {%- endif %}
        -- what is undone with its transaction, or while its subscription waits, is a conflict of
        -- its own
        case
            {% if has_interventions -%}
            when intervention.kind = 'refused_command'
                then concat('failed_', intervention.operation)
            when intervention is not null then null
            {% endif -%}
            when failure is not null then concat('failed_', operation)
            {%- if with_records %}
            when is_condemned
                then if(is_run_row or operation = 'delete', null, 'condemned')
            {%- endif %}
            when verdict = 'accepted' then kind_met
            when is_conflict and not is_waiting then kind_met
            when operation in ('insert', 'update') then 'condemned'
        end as conflict_kind,
        -- who stands against it in the conflict
        if(
            failure is not null{{ " or is_condemned" if with_records }},
            struct(publisher as node, cast(null as string) as change_id),
            {{ by_replication(
                queued='struct(coalesce(held_row.node, publisher) as node, held_row.change_id)',
                merge='struct(if(defender.node = run_node, publisher, defender.node) as node, '
                ~ 'defender.change_id)'
            ) | indent(8) }}
        ) as opponent
    from {{ 'intervened' if has_interventions else 'ruled' }}
),

-- one row per change: the version of its row that it makes, where it makes one
left_behind as (
    select
        *,
        {{ by_intervention(has_interventions, 'intervention.kind', by_replication(
            queued=deciding_rule(
                'policy', 'is_publisher_change', 'is_waiting', 'has_conflict', 'is_conflict',
                'has_failure', 'failure'
            ),
            merge=record_rule(
                'record_verdict', 'is_run_row', 'outcome', rule_alone
            ) if with_records else rule_alone
        )) | indent(4) }} as rule,
        {{ by_replication(
            queued='cast(null as ' ~ row_state_type() ~ ')',
            merge=merge_state(
                'outcome', 'keeps_other_columns', 'is_resolved_row and is_conflict', 'row_after',
                'held_row'
            )
            if not with_records
            else 'if(is_run_row, ' ~ run_row_state() ~ ', ' ~ merge_state(
                'outcome', 'keeps_other_columns', 'is_resolved_row and is_conflict', 'row_after',
                'held_row',
                known_lineage='if(coalesce(is_detected_whole, false), null, lineage)'
            ) ~ ')'
        ) | indent(4) }} as state_after,
        {{ by_intervention(
            has_interventions, 'is_intervention_written', makes_version(with_records)
        ) }} as is_written{{ ',' if has_keys }}
        {%- if has_keys %}
        -- a transaction of queued updating that breaks a key is looked at again as if it did not,
        -- until what came before it is settled
        {{ by_intervention(
            has_interventions, 'is_intervention_written',
            'is_allowed '
            ~ 'and (failure is null or (not is_failure_final and own_failure is null))'
            ~ (' and not has_record_failure' if with_records else '')
        ) }} as would_apply
        {%- endif %}
    from decided
)

{% if has_keys -%}
-- what the statements behind this one look at
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
    {%- if has_interventions %}
    intervention,
    {%- endif %}
    old_version,
    new_version,
    {%- if has_merge %}
    version,
    {%- endif %}
    replication,
    lineage,
    known_position,
    previous_values,
    written_columns,
    tracked_columns,
    ignores_equal_values,
    contending_priority,
    defending_priority,
    change_row,
    row_after,
    policy,
    publisher,
    held_before_run,
    reinitialization,
    was_waiting_before_run,
    is_contended,
    is_looked_at,
    round_number,
    guess,
    guessed_failure,
    is_failure_final,
    {%- if with_records %}
    is_run_row,
    cause_change_id,
    group_key,
    is_condemned,
    is_record_kept_at_node,
    record_conflict_type,
    record_winner_version,
    {%- endif %}
    proposed_row,
    publisher_row,
    held_row,
    comparison,
    outcome,
    rule,
    is_rejected,
    is_resolved_row,
    is_waiting,
    is_conflict,
    has_failure,
    failure,
    conflict_kind,
    opponent,
    transaction_winner,
    is_written,
    would_apply,
    state_after
from left_behind{{ end_of_stage('decided') }}
{{ row_makers(stage('decided')) }}{{ end_of_stage('makers', of_keys) }}
{{ keys_at_the_end(stage('decided'), stage('makers')) }}{{ end_of_stage('ends', of_keys) }}
with

{{ key_violations(stage('makers'), stage('ends')) }},

-- one row per change: the change of its transaction that is the first to break a key
checked as (
    select
        decided.*,
        violations.failing_position,
        violations.failure as key_failure
    from {{ stage('decided') }} as decided
    left join violations
        on
            decided.publication = violations.publication
            and decided.transaction_key = violations.transaction_key
),

-- one row per change: whether its transaction breaks other keys than assumed. What is final is left
-- out when the rest of the transaction is judged, so a key that is broken then is another one
broken as (
    select
        *,
        case
            when is_failure_final then failing_position is not null
            else max(
                    if(
                        failing_position is null,
                        guessed_failure is not null,
                        queue_position = failing_position and not guessed_failure <=> key_failure
                    )
                ) over (partition by publication, transaction_key)
        end as breaks_keys_otherwise
    from checked
),
{% else -%}
, broken as (select * from left_behind),
{% endif %}

-- one row per change: whether it was decided otherwise than assumed, and a decision may have looked
-- at what was assumed
compared_with_guess as (
    select
        *,
        is_looked_at
        and (
            is_written <> guess
            or (
                replication = 'merge'
                and is_written
                and not to_json(state_after) <=> to_json(proposed_row)
            )
        ) as differs_from_guess
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
        {%- if has_interventions %}
        intervention,
        {%- endif %}
        old_version,
        {{ by_intervention(
            has_interventions, 'new_version', by_replication(
                queued='new_version',
                merge='if(outcome is null, null, version)' if with_records else 'version'
            )
        ) }} as new_version,
        replication,
        lineage,
        known_position,
        -- what only a further look needs: writing values takes longer than deciding about them
        if(is_contended, previous_values, null) as previous_values,
        if(is_contended, written_columns, null) as written_columns,
        if(is_contended, tracked_columns, null) as tracked_columns,
        ignores_equal_values,
        contending_priority,
        defending_priority,
        if(is_contended, change_row, null) as change_row,
        policy,
        publisher,
        if(is_contended, held_before_run, null) as held_before_run,
        reinitialization,
        was_waiting_before_run,
        is_contended,
        is_looked_at,
        round_number,
        guess,
        {%- if with_records %}
        is_run_row,
        cause_change_id,
        if(
            group_key is null or (failure is null and not is_condemned),
            null,
            is_record_kept_at_node
        ) as is_kept_at_node,
        record_winner_version,
        {%- endif %}
        guessed_failure,
        is_failure_final,
        differs_from_guess,
        {%- if has_keys %}
        breaks_keys_otherwise,
        failing_position,
        key_failure,
        would_apply,
        differs_from_guess or breaks_keys_otherwise as is_unlike_guess,
        -- the failure of one of several changes is judged once more, for good
        differs_from_guess
        or breaks_keys_otherwise
        or (
            not is_failure_final
            and failing_position is not null
            and count(*) over (partition by publication, transaction_key) > 1
        ) as needs_another_round,
        {%- else %}
        differs_from_guess as is_unlike_guess,
        differs_from_guess as needs_another_round,
        {%- endif %}
        comparison,
        held_row.version as held_version,
        held_row.node as held_node,
        held_row.change_id as held_change_id,
        publisher_row.version as version_before,
        {%- if has_merge %}
        publisher_row.lineage as lineage_before,
        {{ writer_version('held_row') }} as held_writer_version,
        {{ writer_version('publisher_row') }} as writer_version_before,
        {%- else %}
        cast(null as map<string, bigint>) as lineage_before,
        cast(null as string) as held_writer_version,
        cast(null as string) as writer_version_before,
        {%- endif %}
        -- the row whose values are kept with the decision: what stays at the publisher where the
        -- change was rejected, what was overwritten where it won
        case
            when is_rejected or outcome = 'same_value' then publisher_row
            when conflict_kind is not null or {{ has_row_filter() }} then held_row
        end as kept_row,
        {%- if has_interventions %}
        -- a node whose refused command is not undone gets what is there
        if(intervention.kind = 'refused_command', publisher_row.row, null) as standing_values,
        {%- endif %}
        outcome,
        rule,
        is_rejected,
        is_resolved_row,
        {{ by_intervention(has_interventions, 'intervention.failure', 'failure') }} as failure,
        conflict_kind,
        {{ 'if(failure is null and not is_condemned and record_conflict_type is not null, '
        ~ 'if(conflict_kind is null, null, record_conflict_type), ' ~ type_alone ~ ')'
        if with_records else type_alone }} as conflict_type,
        case
            when conflict_kind is null then null
            {%- if has_interventions %}
            when intervention is not null then intervention.loser.node
            {%- endif %}
            when is_rejected then node
            else opponent.node
        end as loser_node,
        case
            when conflict_kind is null then null
            {%- if has_interventions %}
            when intervention is not null then intervention.loser.change_id
            {%- endif %}
            when is_rejected then change_id
            else opponent.change_id
        end as loser_change_id,
        case
            when conflict_kind is null then null
            {%- if has_interventions %}
            when intervention is not null then publisher
            {%- endif %}
            when not is_rejected then node
            when is_waiting then publisher
            when is_conflict or failure is not null then opponent.node
            when has_failure then publisher
            else transaction_winner.node
        end as winner_node,
        case
            when conflict_kind is null then null
            {%- if has_interventions %}
            when intervention is not null then null
            {%- endif %}
            {%- if with_records %}
            when not is_rejected then coalesce(cause_change_id, change_id)
            {%- else %}
            when not is_rejected then change_id
            {%- endif %}
            -- against the publisher as such, whoever made the row that it holds
            when is_waiting then null
            when is_conflict or failure is not null then opponent.change_id
            when has_failure then null
            else transaction_winner.change_id
        end as winner_change_id,
        is_written,
        -- with its values where they are not those of the change
        case
            when not is_written or state_after is null then null
            when
                is_looked_at
                or outcome = 'merged'
                or is_resolved_row
                or operation = 'delete'
                then state_after
            else {{ row_state(
                'state_after.version', 'state_after.node', 'state_after.change_id',
                'state_after.is_deleted', 'state_after.is_of_this_run',
                lineage='state_after.lineage', merge_version='state_after.merge_version'
            ) | indent(16) }}
        end as state_after,
        'taken' as intake,
        '{{ invocation_id }}' as run_id
    from compared_with_guess
)

select * from final
