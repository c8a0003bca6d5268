{{ config(
    materialized='ledger',
    news={
        'model': 'change_queue',
        'by': 'run_id',
        'where': "intake = 'waiting' and not was_seen"
    },
    pre_hook='{{ check_run_is_whole() }}'
) }}

-- Changes that a run has seen while the rest of their transaction had not arrived. Written before
-- the decision log: a change that has been seen is not late when its transaction is complete,
-- unless it was late already when it arrived.

with

changes as (
    {{ changes_at_intake("queue.intake = 'waiting' and not queue.was_seen") | indent(4) }}
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
        contending_priority as priority,
        other_content is not null as is_other_content,
        violation <=> 'late_position' as is_late,
        content_hash,
        run_id,
        {{ run_time() }} as first_seen_at
    from changes
)

select * from final
