{#- What becomes of changes as parts of logical records, as CTEs up to `recorded`, in the columns of
    the changes looked at alone and more:
      record_verdict  'won' or 'lost', with the whole record; NULL: the change is decided by itself
      is_run_row      a row that the run itself writes, because the session of its cause_change_id
                      has won and holds the rest of the record otherwise; is_obsolete: the round
                      before assumed one, and there is none
      group_key       what is decided, and fails, together
    What a conflict is about (kind_met, defender) is that of the record.

    alone, groups, changes, members, opponents, verdicts, replaced: the stages of the round;
    numbers: record_numbers, or none where nothing acts beside changes -#}
{% macro record_decisions(
    alone, groups, changes, members, opponents, verdicts, replaced, numbers=none
) -%}
record_articles as (
    {{- replication_conflicts.record_article_rows() }}
),

-- one row per leading change that has won, and per other row that its session replaces
leaders_and_run_rows as (
    select
        publication,
        leader_change_id,
        transaction_key,
        struct(
            article,
            row_key,
            operation,
            change_row,
            row_before,
            image_place,
            last_operation,
            unknown_writer,
            record_columns
        ) as run_row
    from {{ replaced }}
    union all
    select
        publication,
        leader_change_id,
        transaction_key,
        null as run_row
    from {{ verdicts }}
    where is_session_winner
),

-- one row per row that the round before assumed the run to write
assumed_run_rows as (
    select * from {{ alone }}
    where is_run_row
),

-- one row per change, and per row that its session replaces, with what all stages say of it
spread as (
    select
        alone.*,
        groups.group_key,
        groups.is_detected_whole,
        record_articles.is_column_tracked,
        record_articles.is_compensated,
        verdicts.leader_change_id,
        verdicts.record_defender,
        verdicts.are_opponents_deletes,
        verdicts.are_opponents_inserts,
        verdicts.are_changes_deletes,
        verdicts.are_changes_inserts,
        {{ 'coalesce(verdicts.taken_number, numbers.taken_number) as taken_number'
        if numbers else 'verdicts.taken_number' }},
        opponents.writer as opponent_writer,
        opponents.is_deleted as is_opponent_deleted,
        opponents.row_key is not null as is_opponent,
        members.state as member_state,
        members.last_operation as member_operation,
        {{ replication_conflicts.unknown_writer(
            'alone.lineage', 'alone.known_position', 'alone.node', 'members.state'
        ) | indent(8) }} as unknown_writer,
        leaders_and_run_rows.run_row,
        assumed_run_rows.guess as assumed_guess,
        assumed_run_rows.proposed_row as assumed_row,
        case
            when
                leaders_and_run_rows.run_row is not null
                or alone.operation = 'image'
                or changes.is_settled
                then null
            when verdicts.is_session_winner then 'won'
            when not verdicts.is_session_winner then 'lost'
        end as record_verdict
    from {{ alone }} as alone
    left join record_articles
        on
            alone.publication = record_articles.publication
            and alone.article = record_articles.article
    left join {{ groups }} as groups
        on
            alone.publication = groups.publication
            and alone.change_id = groups.change_id
    left join {{ changes }} as changes
        on
            alone.publication = changes.publication
            and alone.change_id = changes.change_id
    left join {{ verdicts }} as verdicts
        on
            groups.publication = verdicts.publication
            and groups.transaction_key = verdicts.transaction_key
            and groups.group_key = verdicts.group_key
    left join {{ opponents }} as opponents
        on
            groups.publication = opponents.publication
            and groups.transaction_key = opponents.transaction_key
            and groups.group_key = opponents.group_key
            and alone.article = opponents.article
            and alone.row_key = opponents.row_key
    left join {{ members }} as members
        on
            groups.publication = members.publication
            and groups.transaction_key = members.transaction_key
            and groups.group_key = members.group_key
            and alone.article = members.article
            and alone.row_key = members.row_key
    {%- if numbers %}
    left join {{ numbers }} as numbers
        on
            alone.publication = numbers.publication
            and alone.change_id = numbers.change_id
    {%- endif %}
    left join leaders_and_run_rows
        on
            alone.publication = leaders_and_run_rows.publication
            and alone.change_id = leaders_and_run_rows.leader_change_id
    left join assumed_run_rows
        on
            leaders_and_run_rows.publication = assumed_run_rows.publication
            and leaders_and_run_rows.transaction_key = assumed_run_rows.transaction_key
            and leaders_and_run_rows.run_row.article = assumed_run_rows.article
            and leaders_and_run_rows.run_row.row_key = assumed_run_rows.row_key
    -- what the round before assumed is made anew; it stays where it is not
    left join {{ replaced }} as standing
        on
            alone.is_run_row
            and alone.publication = standing.publication
            and alone.transaction_key = standing.transaction_key
            and alone.article = standing.article
            and alone.row_key = standing.row_key
    where
        not alone.is_run_row
        or (alone.guess and standing.row_key is null)
),

-- what won has beaten a row once: its session may have changed the row more often, each time over
-- what it had made itself
ordered as (
    select
        *,
        row_number() over (
            partition by publication, transaction_key, group_key, article, row_key, record_verdict
            order by queue_position, change_id
        ) > 1 as is_repeated
    from spread
),

-- one row per change, and per row that the run writes, in the columns of a change
listed as (
    select
        * except (
            article, row_key, change_id, operation, change_row, tracked_columns, held_row,
            is_row_held, guess, proposed_row, guessed_failure, held_before_run, is_run_row,
            cause_change_id
        ),
        if(run_row is null and operation <> 'image', kind_met, null) as kind_alone,
        is_run_row as is_obsolete,
        is_run_row or run_row is not null as is_run_row,
        run_row.image_place,
        if(run_row is null, cause_change_id, change_id) as cause_change_id,
        if(run_row is null, article, run_row.article) as article,
        if(run_row is null, row_key, run_row.row_key) as row_key,
        if(
            run_row is null, change_id, concat_ws('/', change_id, run_row.article, run_row.row_key)
        ) as change_id,
        if(run_row is null, operation, run_row.operation) as operation,
        if(run_row is null, change_row, run_row.change_row) as change_row,
        if(run_row is null, tracked_columns, run_row.record_columns) as tracked_columns,
        if(run_row is null, held_row, run_row.row_before) as held_row,
        if(
            run_row is null, is_row_held, coalesce(not run_row.row_before.is_deleted, false)
        ) as is_row_held,
        if(run_row is null, guess, coalesce(assumed_guess, false)) as guess,
        if(run_row is null, proposed_row, assumed_row) as proposed_row,
        if(run_row is null, guessed_failure, null) as guessed_failure,
        if(run_row is null, held_before_run, null) as held_before_run
    from ordered
),

-- one row per change, and per row that the run writes: what its conflict is about
recorded as (
    select
        * except (
            kind_met, defender, comparison, is_same_value, run_number, is_opponent, run_row,
            member_state, is_repeated{{ ', number' if numbers }}
        ),
        if(
            record_verdict is not null and is_detected_whole, 'concurrent', comparison
        ) as comparison,
        coalesce(is_same_value and record_verdict is null, false) as is_same_value,
        greatest(
            if(
                run_row is null, run_number, coalesce(run_row.row_before.lineage[run_node], 0) + 1
            ),
            coalesce(taken_number, 0) + 1
        ) as run_number,
        {%- if numbers %}
        if(intervention is null, number, greatest(number, coalesce(taken_number, 0) + 1)) as number,
        {%- endif %}
        is_opponent and record_verdict is not null as is_opponent,
        case
            when run_row is not null then if(run_row.unknown_writer is null, null, 'condemned')
            when operation = 'image' then null
            when record_verdict is null then kind_met
            when record_verdict = 'won' and is_repeated then null
            when is_opponent then {{ replication_conflicts.merge_conflict_kind(
                'operation', "'concurrent'", 'not is_opponent_deleted', 'true'
            ) | indent(12) }}
            when record_verdict = 'lost' or unknown_writer is not null then 'condemned'
        end as kind_met,
        case
            when run_row is not null then run_row.unknown_writer
            when record_verdict is null then defender
            when is_opponent then opponent_writer
            when record_verdict = 'lost' then record_defender
            else unknown_writer
        end as defender,
        case
            when run_row is not null then {{ replication_conflicts.record_conflict_type(
                "if(run_row.row_before.is_deleted, 'delete', run_row.last_operation)",
                'are_changes_deletes', 'are_changes_inserts', 'false', 'is_detected_whole', 'false'
            ) | indent(12) }}
            when record_verdict = 'lost' then {{ replication_conflicts.record_conflict_type(
                'operation', 'if(is_opponent, is_opponent_deleted, are_opponents_deletes)',
                'are_opponents_inserts', 'is_opponent', 'is_detected_whole', 'is_column_tracked'
            ) | indent(12) }}
            when record_verdict = 'won' then {{ replication_conflicts.record_conflict_type(
                "if(member_state.is_deleted, 'delete', member_operation)",
                "if(is_opponent, operation = 'delete', are_changes_deletes)",
                'are_changes_inserts', 'is_opponent', 'is_detected_whole', 'is_column_tracked'
            ) | indent(12) }}
        end as record_conflict_type
    from listed
)
{%- endmacro %}
