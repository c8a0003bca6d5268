{{ config(
    materialized='ledger',
    news={
        'model': 'change_outcomes',
        'by': 'run_sequence',
        'where': "rule = 'publisher_wins_reinitialize'"
    }
) }}

-- One row per transaction whose conflict marked its subscription for reinitialization, with the
-- snapshot that the subscriber is to take: the published tables as this run leaves them, by their
-- Delta versions.

with

outcomes as (
    select * from {{ ref('change_outcomes') }}
    where
        rule = 'publisher_wins_reinitialize'
        and run_sequence > {{ last_run_taken() }}
),

-- one row per publication: the last place of the queue that the published tables stand for
last_positions as (
    select
        publication,
        max(queue_position) as snapshot_position
    from {{ ref('change_outcomes') }}
    where not {{ is_intervention() }}
    group by publication
),

-- one row per article: its published table and the version that holds the snapshot
tables as (
    {% for item in article_list() -%}
    {%- set versions = ref(item.publication ~ '__' ~ item.article ~ '__versions') -%}
    {%- set is_named = item.settings.get('policy') == 'publisher_wins_reinitialize' -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        '{{ versions | replace('`', '') }}' as relation,
        cast({{ table_version(versions) if is_named else 'null' }} as bigint) as table_version
    {% if not loop.last %}union all
    {% endif -%}
    {%- endfor %}
),

snapshots as (
    select
        publication,
        array_sort(collect_list(struct(article, relation, table_version))) as snapshot
    from tables
    group by publication
),

final as (
    select
        outcomes.publication,
        outcomes.node as subscriber,
        outcomes.transaction_id,
        outcomes.transaction_position,
        min(struct(outcomes.queue_position, outcomes.change_id)).change_id as change_id,
        last_positions.snapshot_position,
        snapshots.snapshot,
        max(outcomes.run_sequence) as run_sequence
    from outcomes
    inner join last_positions on outcomes.publication = last_positions.publication
    inner join snapshots on outcomes.publication = snapshots.publication
    group by
        outcomes.publication,
        outcomes.node,
        outcomes.transaction_id,
        outcomes.transaction_position,
        last_positions.snapshot_position,
        snapshots.snapshot
)

select * from final
