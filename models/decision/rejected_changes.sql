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
    select * from {{ ref('change_queue') }}
    where
        intake = 'rejected'
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
        arrived.operation,
        arrived.changed_at,
        arrived.old_version,
        arrived.new_version,
        arrived.change_row,
        changes.violation as reason,
        changes.is_apart,
        arrived.content_hash,
        arrived.run_id,
        cast('{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S") }}' as timestamp) as rejected_at
    from changes
    inner join arrived
        on
            changes.publication = arrived.publication
            and changes.change_key = arrived.change_key
            and changes.other_content <=> arrived.other_content
)

select * from final
