{#- what only logical records need, or keys, is planned only with them -#}
{%- set interventions_act = has_interventions() -%}
{%- set with_keys = publications_with_keys('merge') -%}
{%- set with_records = publications_with_records() -%}
{#- where rows are independent, one that is settled is not looked at again -#}
{%- set with_independent_rows = publications_with_independent_rows() -%}
{%- set again = 'is_contended' if not with_independent_rows else "is_contended and (
    not " ~ is_one_of('publication', with_independent_rows) ~ "
    or coalesce(
        (publication, article, row_key) in (
            select publication, article, row_key from previous_round where is_unsettled
        ),
        false
    )
)" -%}
{{ config(
    enabled=has_merge_replication(),
    materialized='rounds',
    first_round='change_queue',
    taking="intake = 'taken' and replication = 'merge' and is_disputed",
    independent_by='publication',
    again=again,
    unsettled='is_contended and is_unsettled',
    round_limit='select 3 * count(*) + 1 from previous_round'
) }}

-- One row per change of this run under merge replication that somebody disputes, and per row that
-- the run itself writes for a logical record: what a reader that takes the queue one session at a
-- time decides about it. Of the others undisputed_decisions knows it without asking.
--
-- A round assumes of every change whether it makes a version of its row (guess), and which
-- (guessed_state), looks at every change against the row as the publisher held it then, and
-- decides. Rounds go on until every decision is what was assumed. A decision depends on earlier
-- ones alone, so that is the sequential reader's result.
--
-- The first round assumes what change_queue says. What every other one assumes comes here first:
-- what the round before has decided.

with

round_before as (select * from {{ previous_round(ref('change_queue')) }}),

{% if with_keys -%}
settled_positions as (
    {{ settled_positions('round_before', place=session_place()) | indent(4) }}
),

{{ certain_changes('round_before', 'settled_positions') }},

-- one row per change: whether it fails. The rest of its session stands, so a failure counts once it
-- is certain, or once everything before the session is settled, and the rest of it as well. It is
-- then final, and the session is judged again without the change
judged_keys as (
    select
        *,
        (is_certain_now and key_failure is not null)
        or coalesce(
            place = settled_position
            and {{ causing_change('merge') }} = failing_change_id
            and not max(differs_from_guess) over (partition by publication, transaction_key),
            false
        ) as is_failing
    from certain
),

assumed as (
    select
        *,
        is_certain_now or is_failing as is_certain_next,
        if(is_failing, key_failure, guessed_failure) as next_failure,
        is_written and not is_failing as next_guess
    from judged_keys
)
{%- else -%}
assumed as (
    select
        *,
        guessed_failure as next_failure,
        is_written as next_guess
    from round_before
)
{%- endif %}

select
    {{ columns_of_round('merge') | join(',\n    ') }},
    node,
    intake,
    true as is_disputed,
    run_id,
    round_number,
    next_failure as guessed_failure,
    {%- if with_keys %}
    is_certain_next as is_certain,
    {%- endif %}
    next_guess as guess,
    if(next_guess, state_after, null) as guessed_state
from assumed{{ end_of_assumptions() }}
with

changes as (
    select
        {{ columns_of_round('merge') | join(',\n        ') }},
        {{ acting_node() }} as node,
        {{ run_node() }} as run_node,
        {{ row_hash() }} as row_hash,
        round_number + 1 as round_number,
        guess,
        guessed_state,
        {%- if with_keys %}
        is_certain,
        {%- endif %}
        guessed_failure
    from {{ previous_round(ref('change_queue')) }}
    where
        intake = 'taken'
        and replication = 'merge'
        and is_disputed
        and run_id = '{{ invocation_id }}'
),

-- == What a change met, and the conflict that it is in by itself ==

-- one row per change: whether a decision of this run may look at what is assumed of it
followed as (
    select
        * except (is_looked_at),
        is_looked_at
        or {{ is_followed(
            'transaction_position, session_end, is_run_row, queue_position, change_id'
        ) }} as is_looked_at
    from changes
),

-- one row per change: what it writes, if it applies to the row that the run found
numbered as (
    select
        *,
        {{ change_number('held_before_run') }} as number,
        written_columns as standing_columns,
        {{ keeps_other_columns('held_before_run') | indent(8) }} as keeps_other_columns
    from followed
),

-- one row per change: the version that it makes then
versioned as (
    select
        *,
        if(operation = 'delete', null, {{ version_text('node', 'number') }}) as version,
        {{ change_writer('if(intervention is null, change_id, null)') | indent(8) }} as own_writer
    from numbered
),

-- one row per change: the row as the change leaves it, if it applies, where anybody looks at it
proposed as (
    select
        * except (number, version, own_writer, standing_columns, keeps_other_columns),
        case
            when is_looked_at
                then coalesce(guessed_state, {{ applied_state(
                    'keeps_other_columns',
                    merged_row(
                        'keeps_other_columns', 'operation', 'written_columns', 'change_row',
                        'held_before_run'
                    ),
                    'held_before_run',
                    known_lineage='if(' ~ is_record_detected_whole() ~ ', null, lineage)',
                    known_as=known_as()
                ) | indent(20) }})
        end as proposed_row
    from versioned
),

-- one row per change: the row that it met
met as (
    select
        *,
        coalesce(
            last_value(if(guess, proposed_row, null), true) over (
                partition by row_hash, publication, article, row_key
                order by
                    transaction_position, session_end, is_run_row, queue_position, change_id
                rows between unbounded preceding and 1 preceding
            ),
            held_before_run
        ) as held_row
    from proposed
),

-- one row per change: did it know the row that it met
compared as (
    select
        *,
        coalesce(not held_row.is_deleted, false) as is_row_held,
        {{ lineage_comparison('lineage', 'known_position', 'node', 'held_row') | indent(4) }}
            as comparison
    from met
),

-- one row per change: what it contends for
contested as (
    select
        *,
        case
            when comparison = 'concurrent'
                then {{ contested_columns(
                    'lineage', 'known_position', 'node', 'written_columns', 'held_row'
                ) | indent(12) }}
        end as contested,
        {{ change_number('held_row') }} as number,
        coalesce(held_row.lineage[run_node], 0) + 1 as run_number
    from compared
),

-- one row per change: whether it says nothing else in what it contends for than what is held, and
-- its article lets that pass. An insert contends for its key, with all of its row
compared_values as (
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
                "if("
                ~ "array_contains(tracked_columns, '*') or operation = 'insert', "
                ~ "map_keys(change_row), map_keys(contested))"
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
    from compared_values
),

-- one row per change: the conflict that it is in. A change made at the publisher is in conflict
-- only with something that it overwrites; it is not held up by it
classified as (
    select
        *,
        {{ merge_conflict_kind(
            'operation', 'comparison', 'is_row_held', 'is_contested'
        ) | indent(4) }} as kind_met
    from narrowed
)

-- == What becomes of it with its logical record ==

{% if with_records -%}
select * from classified{{ end_of_stage('alone') }}
{{ record_spans(stage('alone')) }}{{ end_of_stage('spans', with_records) }}
{{ record_groups(stage('alone'), stage('spans')) }}{{ end_of_stage('groups', with_records) }}
{{ record_members(stage('groups'), stage('spans')) }}{{ end_of_stage('members', with_records) }}
{{ record_changes(stage('alone'), stage('groups')) }}{{ end_of_stage('changes', with_records) }}
{{ record_opponents(
    stage('changes'), stage('members')
) }}{{ end_of_stage('opponents', with_records) }}
{{ record_verdicts(
    stage('changes'), stage('members'), stage('opponents')
) }}{{ end_of_stage('verdicts', with_records) }}
{{ replaced_rows(
    stage('changes'), stage('members'), stage('verdicts'), ref('rejected_changes')
) }}{{ end_of_stage('replaced', with_records) }}
{%- if interventions_act %}
{{ record_numbers(stage('alone'), stage('spans')) }}{{ end_of_stage('numbers', with_records) }}
{%- endif %}
with

{{ record_decisions(
    stage('alone'), stage('groups'), stage('changes'), stage('members'), stage('opponents'),
    stage('verdicts'), stage('replaced'), stage('numbers') if interventions_act else none
) }},
{% else -%}
-- one row per change: it is part of no logical record
, recorded as (
    {{ outside_records('classified') | indent(4) }}
),
{% endif %}

-- == Who wins ==

-- one row per change: what its article's resolver says about the conflict. No resolver is asked
-- about a change made at the publisher, and none about an insert of a key that is taken
resolved as (
    select
        *,
        case
            when
                not is_publisher_change
                and kind_met <> 'insert_insert'
                then {{ resolution_of_conflict() | indent(12) }}
        end as resolution
    from recorded
),

-- one row per change: who wins its conflict, if the resolver computes no value
won_by_rule as (
    select
        *,
        coalesce(
            record_verdict = 'won',
            resolution.winner = 'change',
            contending_priority > defender.priority
        ) as is_change_winner_by_rule
    from resolved
),

-- one row per change: the winner's row with the value that the resolver has computed
computed as (
    select
        *,
        case
            when resolution.is_computed
                then transform_values(
                        if(is_change_winner_by_rule, change_row, held_row.row),
                        (computed_column, value) -> if(
                            computed_column = resolution.column_name, resolution.value, value
                        )
                    )
        end as computed_row
    from won_by_rule
),

-- one row per change: who wins its conflict. Where the computed row equals one side, that side has
-- won; where it equals neither, it is a version of the run's own
won as (
    select
        * except (equals_change, equals_held, is_change_winner_by_rule),
        coalesce(
            if(equals_change <=> equals_held, is_change_winner_by_rule, equals_change), false
        ) as is_change_winner,
        coalesce(not equals_change and not equals_held, false) as is_resolved_row
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

-- == Whether it can stand: what it would leave, and which constraint that breaks ==

-- one row per change: whether it leaves columns that it does not write as they are held. What the
-- run writes for a record is a row as its winner's session holds it, whole
columns_kept as (
    select
        *,
        {{ keeps_other_columns('held_row') | indent(8) }}
        and kind_met is null
        and record_verdict is null
        and not is_run_row as keeps_other_columns
    from won
),

-- one row per change: what would be left of the row, if the change stands
standing_rows as (
    select
        *,
        coalesce(
            if(is_resolved_row, computed_row, null),
            {{ merged_row(
                'keeps_other_columns', 'operation', 'standing_columns', 'change_row', 'held_row'
            ) | indent(8) }}
        ) as standing_row
    from columns_kept
),

-- one row per change: the version that it would leave, by whom, and what a person edits of the row
rows_left as (
    select
        *,
        if(operation = 'delete', null, {{ version_text('node', 'number') }}) as version,
        {{ change_writer('if(intervention is null, change_id, null)') | indent(8) }} as own_writer,
        {{ row_writer(
            priority='100', transaction_position='transaction_position',
            queue_position='queue_position', node='run_node', number='run_number', change_id='null'
        ) | indent(4) }} as run_writer,
        kind_met is not null and not is_publisher_change as is_conflict,
        {{ edited_row('held_row.row', otherwise='standing_row') | indent(4) }} as row_after
    from standing_rows
),

-- one row per change: whether the rules so far would apply it
allowed as (
    select
        *,
        {{ merge_allowance(
            operation='operation', is_obsolete='is_obsolete', is_run_row='is_run_row',
            record_verdict='record_verdict', is_row_held='is_row_held',
            is_same_value='is_same_value', comparison='comparison',
            is_publisher_change='is_publisher_change',
            verdict=merge_verdict(
                is_publisher_change='is_publisher_change', conflict_kind='kind_met',
                failure='null', is_change_winner='(is_change_winner or is_resolved_row)'
            )
        ) | indent(4) }} as is_allowed,
        {{ row_failure(
            row="if(operation = 'delete', null, row_after)",
            held_row='if(is_row_held, held_row.row, null)', replication='merge'
        ) | indent(4) }} as own_failure
    from rows_left
),

-- one row per change: the constraint that it breaks. What is done at the publisher breaks none
failing as (
    select
        *,
        case
            when is_publisher_change then null
            when kind_alone = 'insert_insert' and not record_verdict <=> 'lost'
                then {{ failure(2627, 'primary key') }}
            when resolution.is_overflow then {{ failure(8115, 'overflow of a computed value') }}
            when is_allowed
                then coalesce(guessed_failure, {{ record_own_failure() | indent(16) }})
        end as failure
    from allowed
),

-- one row per change: what fails in its record takes all with it that is decided together
record_failures as (
    select
        *,
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
        ) as is_record_kept_at_node
    from failing
),

-- one row per change: whether it stands, if it is no part of a logical record
ruled_alone as (
    select
        *,
        {{ merge_verdict(
            is_publisher_change='is_publisher_change', conflict_kind='kind_met', failure='failure',
            is_change_winner='is_change_winner'
        ) | indent(4) }} as verdict_alone
    from record_failures
),

-- one row per change: whether it stands
ruled as (
    select
        *,
        has_record_failure and failure is null and is_allowed as is_condemned,
        {{ record_change_verdict(
            is_run_row='is_run_row', failure='failure', has_record_failure='has_record_failure',
            is_allowed='is_allowed', verdict_alone='verdict_alone'
        ) | indent(4) }} as verdict
    from ruled_alone
),

-- == What becomes of it, by which rule, and against whom ==

{{ interventions_of_round('ruled') }},

-- one row per change: what becomes of it, if it is no part of a logical record
decided_alone as (
    select
        *,
        {{ merge_outcome(
            verdict='verdict', comparison='comparison', operation='operation',
            is_row_held='is_row_held', is_conflict='is_conflict', is_same_value='is_same_value',
            is_waiting_for_person='is_conflict and coalesce(resolution.is_waiting, false)',
            is_merged="keeps_other_columns and (comparison = 'concurrent' or "
            ~ rows_differ('row_after', 'change_row') ~ ")"
        ) | indent(4) }} as outcome_alone
    from intervened
),

-- one row per change: what becomes of it
decided as (
    select
        *,
        {{ by_intervention(
            intervention='intervention_outcome',
            change=record_outcome(
                is_change="(operation <> 'image' and not is_run_row)",
                record_verdict='record_verdict', failure='failure',
                has_record_failure='has_record_failure', is_allowed='is_allowed',
                is_opponent='is_opponent', is_publisher_change='is_publisher_change',
                outcome_alone='outcome_alone'
            )
        ) | indent(4) }} as outcome,
        verdict <> 'accepted' as is_rejected,
        -- what a change has lost against that lost with its whole record
        if(
            record_verdict = 'lost', {{ version_text('defender.node', 'defender.number') }}, null
        ) as record_winner_version,
        case
            when intervention.kind = 'refused_command'
                then concat('failed_', intervention.operation)
            when intervention is not null then null
            when failure is not null then concat('failed_', operation)
            when is_condemned then if(is_run_row, null, 'condemned')
            else kind_met
        end as conflict_kind,
        -- who stands against it in the conflict
        if(
            failure is not null or is_condemned,
            {{ publisher_side() }},
            -- versions of the run's own, and rows of the initial snapshot, are no change's
            struct(
                if(defender.change_id is null, publisher, defender.node) as node,
                defender.change_id
            )
        ) as opponent
    from decided_alone
),

-- one row per change: the rule that decided, if it is no part of a logical record
explained as (
    select
        *,
        {{ merge_rule(
            outcome='outcome', is_publisher_change='is_publisher_change', is_conflict='is_conflict',
            resolver=resolver_of_article()
        ) | indent(4) }} as rule_alone
    from decided
),

-- one row per change: the version of its row that it makes, where it makes one
left_behind as (
    select
        *,
        {{ by_intervention(
            intervention='intervention.kind',
            change=record_rule(
                record_verdict='record_verdict', is_run_row='is_run_row', outcome='outcome',
                rule_alone='rule_alone'
            )
        ) | indent(4) }} as rule,
        if(
            is_run_row,
            {{ run_row_state() | indent(12) }},
            {{ merge_state(
                outcome='outcome', keeps_other_columns='keeps_other_columns',
                is_resolved_row='is_resolved_row and is_conflict', row_after='row_after',
                held='held_row',
                known_lineage='if(coalesce(is_detected_whole, false), null, lineage)',
                known_as=known_as()
            ) | indent(12) }}
        ) as state_after,
        {%- if with_keys %}
        -- before anybody looks at keys
        {{ by_intervention(
            intervention='is_intervention_written',
            change='is_allowed and failure is null and not has_record_failure'
        ) }} as would_apply,
        {%- endif %}
        {{ by_intervention(
            intervention='is_intervention_written', change=makes_version()
        ) }} as is_written
    from explained
)

-- == Which keys are broken at the end of a session ==

{% if with_keys -%}
-- what the statements behind this one look at
select
    {{ columns_of_round('merge') | join(',\n    ') }},
    node,
    version,
    row_after,
    round_number,
    guess,
    guessed_failure,
    is_certain,
    group_key,
    is_condemned,
    is_record_kept_at_node,
    record_conflict_type,
    record_winner_version,
    proposed_row,
    held_row,
    comparison,
    outcome,
    rule,
    is_rejected,
    is_resolved_row,
    failure,
    conflict_kind,
    opponent,
    is_written,
    would_apply,
    state_after
from left_behind{{ end_of_stage('decided') }}
{{ row_makers(
    stage('decided'), 'merge', row_after='row_after', row_before='held_row'
) }}{{ end_of_stage('makers', with_keys) }}
{{ keys_at_the_end(
    stage('decided'), stage('makers'), 'merge'
) }}{{ end_of_stage('ends', with_keys) }}
with

{{ key_violations(stage('makers'), stage('ends'), 'merge') }},

-- one row per change: the key that it breaks, and the change of its session that is the first to
-- break one. What is final is left out when the rest of the session is judged, so a key that is
-- broken then is another one
broken as (
    select
        decided.*,
        violations.failing_change_id,
        violations.failure as key_failure
    from {{ stage('decided') }} as decided
    left join violations
        on
            decided.publication = violations.publication
            and decided.transaction_key = violations.transaction_key
            and {{ causing_change('merge', 'decided') }} = violations.change_id
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
        is_looked_at
        and (
            is_written <> guess
            or (is_written and not to_json(state_after) <=> to_json(proposed_row))
        ) as differs_from_guess,
        {{ losing_side() | indent(4) }} as loser,
        case
            when conflict_kind is null then null
            when intervention is not null then {{ publisher_side() }}
            when is_rejected then opponent
            else struct(node, {{ causing_change('merge') }} as change_id)
        end as winner,
        {{ conflict_type(
            conflict_kind='conflict_kind', is_change_loser='is_rejected',
            is_column_tracked="not array_contains(tracked_columns, '*')",
            is_reported='intervention is not null'
        ) | indent(4) }} as type_alone
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
        session_end,
        queue_position,
        operation,
        intervention,
        {{ by_intervention(
            intervention='new_version', change='if(outcome is null, null, version)'
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
        publisher,
        if(is_contended, held_before_run, null) as held_before_run,
        is_contended,
        is_looked_at,
        round_number,
        is_run_row,
        cause_change_id,
        if(
            group_key is null or (failure is null and not is_condemned),
            null,
            is_record_kept_at_node
        ) as is_kept_at_node,
        record_winner_version,
        guessed_failure,
        {%- if with_keys %}
        is_certain,
        differs_from_guess,
        failing_change_id,
        key_failure,
        differs_from_guess or key_failure is not null as is_unsettled,
        {%- else %}
        differs_from_guess as is_unsettled,
        {%- endif %}
        comparison,
        held_row.version as held_version,
        held_row.node as held_node,
        held_row.change_id as held_change_id,
        held_row.lineage as held_lineage,
        {{ writer_version('held_row') }} as held_writer_version,
        -- the row whose values are kept with the decision: what stays at the publisher where the
        -- change was rejected, what was overwritten where it won
        if(
            is_rejected
            or outcome = 'same_value'
            or conflict_kind is not null
            or {{ has_row_filter('merge') }},
            held_row,
            null
        ) as kept_row,
        outcome,
        rule,
        is_rejected,
        is_resolved_row,
        {{ by_intervention(intervention='intervention.failure', change='failure') }} as failure,
        conflict_kind,
        if(
            failure is null and not is_condemned and record_conflict_type is not null,
            if(conflict_kind is null, null, record_conflict_type),
            type_alone
        ) as conflict_type,
        loser.node as loser_node,
        loser.change_id as loser_change_id,
        winner.node as winner_node,
        winner.change_id as winner_change_id,
        is_written,
        -- with its values where they are not those of the change
        case
            when not is_written then null
            when
                is_looked_at
                or outcome = 'merged'
                or is_resolved_row
                or operation = 'delete'
                then state_after
            else {{ without_values('state_after') | indent(16) }}
        end as state_after,
        'taken' as intake,
        run_sequence,
        '{{ invocation_id }}' as run_id
    from compared_with_guess
)

select * from final
