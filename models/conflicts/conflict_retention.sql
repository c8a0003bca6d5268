{{ config(
    materialized='ledger',
    news={'model': 'change_outcomes', 'by': 'run_sequence', 'where': 'true'}
) }}

-- One row per publication and run that decided something: how old the publication was then, and
-- from which place of the queue on its conflicts are kept.

with

outcomes as (select * from {{ ref('change_outcomes') }}),

publications as (select * from {{ ref('configured_publications') }}),

-- one row per publication: what earlier runs have found
earlier as (
    {% if takes_only_news() -%}
    select
        publication,
        max(clock) as clock,
        max(first_kept_position) as first_kept_position
    from {{ this }}
    group by publication
    {%- else -%}
    {{ empty_relation({
        'publication': 'string', 'clock': 'timestamp', 'first_kept_position': 'bigint'
    }) | indent(4) }}
    {%- endif %}
),

clocks as (
    select
        outcomes.publication,
        max(greatest(outcomes.changed_at, earlier.clock)) as clock,
        max(earlier.first_kept_position) as kept_before,
        max(outcomes.run_sequence) as run_sequence
    from outcomes
    left join earlier on outcomes.publication = earlier.publication
    where outcomes.run_sequence > {{ last_run_taken() }}
    group by outcomes.publication
),

-- one row per publication: the first transaction of those that were kept, and the first that is
-- young enough: what lies before it was decided before the clock had come so far
places as (
    select
        clocks.publication,
        clocks.clock,
        clocks.kept_before,
        clocks.run_sequence,
        publications.conflict_retention_days,
        min(outcomes.transaction_position) as first_position,
        min(
            if(
                clocks.clock - make_dt_interval(publications.conflict_retention_days)
                <= outcomes.changed_at,
                outcomes.transaction_position,
                null
            )
        ) as first_young_position
    from clocks
    inner join publications on clocks.publication = publications.publication
    left join outcomes
        on
            clocks.publication = outcomes.publication
            and coalesce(clocks.kept_before <= outcomes.transaction_position, true)
    group by
        clocks.publication,
        clocks.clock,
        clocks.kept_before,
        clocks.run_sequence,
        publications.conflict_retention_days
),

-- where nothing is too old, nothing changes: NULL as long as a publication keeps all its conflicts
final as (
    select
        publication,
        clock,
        conflict_retention_days,
        if(
            coalesce(first_position < first_young_position, false),
            first_young_position,
            kept_before
        ) as first_kept_position,
        run_sequence
    from places
)

select * from final
