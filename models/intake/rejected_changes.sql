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
        is_apart,
        other_content is not null as is_other_content,
        content_hash,
        run_id,
        {{ run_time() }} as rejected_at
    from changes
)

select * from final
