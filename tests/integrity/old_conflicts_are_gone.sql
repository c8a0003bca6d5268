-- No conflict is kept for longer than its publication asked for when it last decided something: one
-- is too old when every change that is young enough lies behind it in the queue. This is said anew
-- here, from the log alone. Their losing rows go with them: see lost_rows_are_kept.
{{ config(tags=['thorough']) }}

with

outcomes as (select * from {{ ref('change_outcomes') }}),

conflicts as (select * from {{ ref('conflicts_info') }}),

-- one row per publication: what counts as young
ages as (
    select
        publication,
        max(clock)
        - make_dt_interval(max_by(conflict_retention_days, run_sequence)) as first_young_time
    from {{ ref('conflict_retention') }}
    group by publication
),

-- one row per publication: the first transaction that was decided when the clock had come so far
young as (
    select
        outcomes.publication,
        min(outcomes.transaction_position) as first_young_position
    from outcomes
    inner join ages on outcomes.publication = ages.publication
    where ages.first_young_time <= outcomes.changed_at
    group by outcomes.publication
),

final as (
    select
        conflicts.publication,
        conflicts.conflict_id,
        conflicts.transaction_position,
        young.first_young_position
    from conflicts
    inner join young on conflicts.publication = young.publication
    where conflicts.transaction_position < young.first_young_position
)

select * from final
