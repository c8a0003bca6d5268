{{ config(materialized='ephemeral') }}

-- One row per change of this run that nobody disputes, of both kinds of replication: it applies as
-- it came, whatever the run decides about others.

with

queue as (
    select * from {{ ref('change_queue') }}
    where intake = 'taken'
),

{% if has_queued_updating() -%}
-- the changes of transactions in which nothing is disputed
queued_changes as (
    select
        queue.run_id,
        queue.publication,
        queue.article,
        queue.row_key,
        queue.change_id,
        queue.node,
        queue.transaction_position,
        queue.queue_position,
        queue.operation,
        queue.old_version,
        queue.replication,
        queue.policy,
        queue.contending_priority,
        cast(null as map<string, bigint>) as lineage,
        queue.held_before_run,
        {{ queued_rule(
            policy='queue.policy', is_publisher_change='queue.is_publisher_change',
            is_waiting='false', has_conflict='false', is_conflict='false', has_failure='false',
            failure='null'
        ) | indent(8) }} as rule,
        queue.new_version,
        cast(null as {{ row_state_type() }}) as state_after,
        queue.run_sequence
    from queue
    left anti join {{ ref('disputed_transactions') }} as disputed
        on
            {{ transaction_hash('queue') }} = disputed.transaction_hash
            and queue.run_id = disputed.run_id
    where queue.replication = 'queued'
),

{% endif -%}
{% if has_merge_replication() -%}
-- under merge replication a change stands by itself. One row per change, and the number of the
-- version that it makes
numbered_changes as (
    select
        *,
        {{ change_number('held_before_run') }} as number,
        written_columns as standing_columns
    from queue
    where
        replication = 'merge'
        and not is_disputed
),

versioned_changes as (
    select
        *,
        {{ version_text('node', 'number') }} as version,
        {{ change_writer() | indent(8) }} as own_writer
    from numbered_changes
),

merge_changes as (
    select
        run_id,
        publication,
        article,
        row_key,
        change_id,
        node,
        transaction_position,
        queue_position,
        operation,
        cast(null as string) as old_version,
        replication,
        cast(null as string) as policy,
        contending_priority,
        lineage,
        held_before_run,
        {{ merge_rule(
            outcome="'applied'", is_publisher_change='is_publisher_change', is_conflict='false',
            resolver='null'
        ) | indent(4) }} as rule,
        version as new_version,
        -- its values are those of the change
        {{ applied_state(
            keeps_other_columns=keeps_other_columns('held_before_run'), row_after='null',
            held='held_before_run'
        ) | indent(4) }} as state_after,
        run_sequence
    from versioned_changes
),

{% endif -%}
undisputed as (
    {% if has_queued_updating() -%}
    select * from queued_changes
    {%- endif %}
    {% if has_queued_updating() and has_merge_replication() -%}
    union all
    {%- endif %}
    {% if has_merge_replication() -%}
    select * from merge_changes
    {%- endif %}
),

final as (
    select
        run_id,
        publication,
        article,
        row_key,
        change_id,
        cast(null as string) as cause_change_id,
        false as is_run_row,
        node,
        transaction_position,
        queue_position,
        operation,
        old_version,
        cast(null as map<string, string>) as change_row,
        replication,
        policy,
        contending_priority,
        lineage,
        0 as round_number,
        'descendant' as comparison,
        held_before_run.version as held_version,
        held_before_run.node as held_node,
        held_before_run.change_id as held_change_id,
        {{ writer_version('held_before_run') }} as held_writer_version,
        held_before_run.version as version_before,
        held_before_run.lineage as lineage_before,
        {{ writer_version('held_before_run') }} as writer_version_before,
        'applied' as outcome,
        rule,
        false as is_rejected,
        cast(null as {{ failure_type() }}) as failure,
        cast(null as string) as conflict_kind,
        cast(null as int) as conflict_type,
        cast(null as string) as loser_node,
        cast(null as string) as loser_change_id,
        cast(null as string) as winner_node,
        cast(null as string) as winner_change_id,
        true as is_written,
        new_version,
        state_after,
        false as is_resolved_row,
        cast(null as {{ row_state_type() }}) as kept_row,
        cast(null as boolean) as is_kept_at_node,
        cast(null as string) as record_winner_version,
        run_sequence
    from undisputed
)

select * from final
