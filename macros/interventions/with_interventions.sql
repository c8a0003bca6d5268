{#- The queue of this run together with what acts in it beside changes: the interventions whose
    place the run has reached. As CTEs up to `acting`, in the columns of the changes.

    changes: the CTE with the changes, in the queue_columns; held: the rows that the publisher
    holds; progress: how far earlier runs have taken the queue -#}
{% macro with_interventions(changes, held, progress) -%}
{%- set columns = replication_conflicts.queue_columns() | join(',\n            ') -%}
-- one row per intervention that has not acted yet, and the place of the last command of its
-- publication that a subscriber has refused
pending as (
    select
        *,
        max(if(intervention.kind = 'refused_command', transaction_position, null)) over (
            partition by publication
        ) as last_report
    from {{ ref('pending_interventions') }}
    where run_id = '{{ invocation_id }}'
),

-- one row per publication: how far this run takes the queue
taken_positions as (
    select
        publication,
        max(transaction_position) as last_position
    from {{ changes }}
    where intake = 'taken'
    group by publication
),

-- one row per intervention whose place the run has reached, in the columns of a change
interventions as (
    select
        pending.publication,
        pending.article,
        pending.row_key,
        pending.change_id as change_key,
        pending.change_id,
        pending.node,
        -- what a run does is the agreed state, like what is done at the publisher
        true as is_publisher_change,
        pending.change_id as transaction_key,
        pending.transaction_position,
        pending.queue_position,
        pending.operation,
        null as old_version,
        pending.new_version,
        pending.change_row,
        null as other_content,
        pending.policy,
        pending.publisher,
        cast({{ replication_conflicts.run_sequence() }} as bigint) as run_sequence,
        'taken' as intake,
        false as was_seen,
        null as violation,
        pending.replication,
        null as lineage,
        -- it knows whatever it meets
        {{ replication_conflicts.behind_queue() }} as known_position,
        null as previous_values,
        pending.tracked_columns as written_columns,
        pending.tracked_columns,
        false as ignores_equal_values,
        cast(100 as decimal(5, 2)) as contending_priority,
        cast(100 as decimal(5, 2)) as defending_priority,
        held.held_state as held_before_run,
        0 as reinitialization,
        false as was_waiting_before_run,
        true as is_contended,
        true as is_looked_at,
        pending.intervention.is_writing as guess,
        {%- if replication_conflicts.has_merge_replication() %}
        pending.queue_position as session_end,
        null as guessed_state,
        {%- endif %}
        null as guessed_failure,
        {%- if replication_conflicts.has_queued_updating() %}
        true as is_failure_final,
        {%- endif %}
        {%- if replication_conflicts.has_merge_replication() %}
        false as is_certain,
        {%- endif %}
        false as is_run_row,
        null as cause_change_id,
        0 as round_number,
        '{{ invocation_id }}' as run_id,
        pending.intervention
    from pending
    left join {{ progress }} as progress on pending.publication = progress.publication
    left join taken_positions on pending.publication = taken_positions.publication
    left join {{ held }} as held
        on
            pending.publication = held.publication
            and pending.article = held.article
            and pending.row_key = held.row_key
    where
        pending.transaction_position
        <= greatest(progress.last_place, taken_positions.last_position, pending.last_report)
),

-- one row per change and intervention: whether anything else of this run is about its row
contended_rows as (
    select
        *,
        max(is_contended) over (partition by publication, article, row_key) as is_row_contended
    from (
        select
            {{ columns }}
        from {{ changes }}
        union all
        select
            {{ columns }}
        from interventions
    )
),

-- one row per change and intervention: whether anything else is about a row of its transaction
acting as (
    select
        * except (is_contended, is_row_contended),
        max(is_row_contended) over (partition by publication, transaction_key) as is_contended
    from contended_rows
)
{%- endmacro %}
