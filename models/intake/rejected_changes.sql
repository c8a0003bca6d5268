{{ config(
    materialized='ledger',
    news={'model': 'change_queue', 'by': 'run_id', 'where': "intake = 'rejected'"},
    full_refresh=false
) }}

-- Changes that break the feed contract, as they came, with the reason: never dropped and never
-- applied. A rejection is final, also when everything else is rebuilt, because some reasons depend
-- on when a change arrived.

with

changes as (
    {{ changes_at_intake("queue.intake = 'rejected'") | indent(4) }}
),

-- one row per session that loses some of its changes: how many of it this run takes. One without
-- the others would wait for ever, if the run died before they are in the log
taken as (
    select
        queue.publication,
        queue.transaction_key,
        count(*) as taken_changes
    from {{ ref('change_queue') }} as queue
    left semi join {{ ref('change_queue') }} as rejected
        on
            queue.publication = rejected.publication
            and queue.transaction_key = rejected.transaction_key
            and rejected.intake = 'rejected'
            and rejected.run_id = '{{ invocation_id }}'
    where
        queue.intake = 'taken'
        and queue.run_id = '{{ invocation_id }}'
    group by queue.publication, queue.transaction_key
),

-- one row per rejected change, with that number
counted as (
    select
        changes.*,
        coalesce(taken.taken_changes, 0) as taken_changes
    from changes
    left join taken
        on
            changes.publication = taken.publication
            and changes.transaction_key = taken.transaction_key
),

final as (
    select
        publication,
        article,
        row_key,
        change_key,
        change_id,
        queue_position,
        node,
        transaction_id,
        transaction_change_count,
        operation,
        changed_at,
        old_version,
        new_version,
        lineage,
        known_position,
        changed_columns,
        previous_values,
        priority,
        change_row,
        violation as reason,
        is_outside_transaction,
        other_content is not null as is_other_content,
        content_hash,
        taken_changes,
        run_sequence,
        run_id,
        {{ run_time() }} as rejected_at
    from counted
)

select * from final
