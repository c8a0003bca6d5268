{{ config(
    materialized='ledger',
    news={
        'model': 'change_queue',
        'by': 'run_id',
        'where': "intake = 'waiting' and not was_seen"
    }
) }}

-- Changes that a run has seen while the rest of their transaction had not arrived. Written before
-- the decision log: a change that has been seen is not late when its transaction is complete.

with

changes as (
    select * from {{ ref('change_queue') }}
    where
        intake = 'waiting'
        and not was_seen
        and run_id = '{{ invocation_id }}'
),

arrived as (
    select * from {{ ref('incoming_changes') }}
    where run_id = '{{ invocation_id }}'
),

final as (
    select
        arrived.publication,
        arrived.article,
        arrived.row_key,
        arrived.change_key,
        arrived.change_id,
        arrived.queue_position,
        arrived.node,
        arrived.transaction_id,
        arrived.transaction_change_count,
        changes.contending_priority as priority,
        arrived.other_content is not null as is_other_content,
        arrived.content_hash,
        arrived.run_id,
        cast('{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S") }}' as timestamp) as first_seen_at
    from changes
    inner join arrived
        on
            changes.publication = arrived.publication
            and changes.change_key = arrived.change_key
            and changes.other_content <=> arrived.other_content
)

select * from final
