{{ config(
    enabled=is_queued(),
    materialized='scratch',
    reads='change_queue',
    taking="intake = 'taken' and replication = 'queued'"
) }}

-- One row per transaction of this run under queued updating that somebody has to look at: one with
-- a change that does not know the row that the run found, or with whose rows or keys other changes
-- of the run have to do, or one that may break a constraint. All changes of any other transaction
-- apply as they came.

with

changes as (
    select
        publication,
        {{ transaction_hash() }} as transaction_hash,
        is_contended,
        {{ version_comparison(
            'operation', 'old_version', 'held_before_run.version'
        ) | indent(4) }} as comparison
    from {{ ref('change_queue') }}
    where
        intake = 'taken'
        and replication = 'queued'
        and run_id = '{{ invocation_id }}'
),

final as (
    select distinct
        transaction_hash,
        '{{ invocation_id }}' as run_id
    from changes
    where
        is_contended
        or comparison <> 'descendant'
        or {{ publication_needs_values() }}
)

select * from final
