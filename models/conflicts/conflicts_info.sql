{{ config(
    materialized='ledger',
    news={
        'model': 'change_outcomes',
        'by': 'run_sequence',
        'where': "conflict_id is not null and conflict_logging <> 'subscriber'"
    },
    obsolete=decided_rows(),
    post_hook="{{ remove_old_conflicts('recorded.publication') }}"
) }}

-- One row per conflict that people have not decided: which row, which kind, who lost against whom,
-- and why in words.

with

outcomes as (
    select * from {{ ref('change_outcomes') }}
    where
        conflict_id is not null
        -- where only the subscriber keeps the record, the publisher has none
        and conflict_logging <> 'subscriber'
        and run_sequence > {{ last_run_taken() }}
        and transaction_position >= {{ first_kept_position('change_outcomes.publication') }}
),

final as (
    select
        outcomes.conflict_id,
        publication,
        article,
        row_key,
        loser_node as origin_datasource,
        conflict_type,
        conflict_kind,
        reason_code,
        {{ reason_text(
            conflict_kind='conflict_kind', conflict_type='conflict_type', rule='rule',
            article='article', row_key='row_key', loser_node='loser_node',
            loser_change_id='loser_change_id', winner_node='winner_node',
            winner_change_id='winner_change_id', failed_constraint='failed_constraint',
            node='node', is_written='is_written'
        ) | indent(4) }} as reason_text,
        transaction_id,
        loser_change_id,
        loser_node,
        winner_change_id,
        winner_node,
        {{ has_conflict_row() }} as has_lost_row,
        transaction_position,
        decided_at as create_time,
        run_sequence
    from {{ without_decided('outcomes') }}
)

select * from final
