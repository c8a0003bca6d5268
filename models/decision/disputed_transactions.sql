{{ config(
    enabled=has_queued_updating(),
    materialized='scratch',
    reads='change_queue',
    taking="intake = 'taken' and replication = 'queued' and is_disputed"
) }}

-- One row per transaction of this run under queued updating that somebody has to look at, because a
-- change of it is disputed. All changes of any other transaction apply as they came.

with

changes as (
    select
        {{ transaction_hash() }} as transaction_hash
    from {{ ref('change_queue') }}
    where
        intake = 'taken'
        and replication = 'queued'
        and is_disputed
        and run_id = '{{ invocation_id }}'
),

final as (
    select distinct
        transaction_hash,
        '{{ invocation_id }}' as run_id
    from changes
)

select * from final
