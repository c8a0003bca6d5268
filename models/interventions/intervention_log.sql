{{ config(
    materialized='ledger',
    news={
        'model': ['conflict_decisions'] + (['apply_errors'] if has_apply_errors() else []),
        'where': 'true'
    },
    optional=true,
    full_refresh=false
) }}

-- What acts on published rows beside changes: decisions of people about conflicts, and commands
-- that subscribers have refused, each with its place in the queue and all that it needs to act. The
-- place of a decision depends on the run that first sees it; it is written down here, and a full
-- refresh leaves it alone and uses it.
-- Nothing is written before decisions have been checked:
-- {{ ref('incoming_changes') }}
-- Whether there is anything new is asked here before the query runs:
-- {{ ref('conflict_decisions') }}
-- {{ ref('apply_errors') if has_apply_errors() else '' }}

with

outcomes as (
    {{ earlier_outcomes() | indent(4) }}
),

-- one row per decision and refused command that an earlier run has seen
known as (
    {{ earlier_interventions() | indent(4) }}
),

-- one row per decision of a person and per refused command, with the decision about a change that
-- is its cause
news as (
    select * from {{ ref('new_decisions') }}
    {%- if has_apply_errors() %}
    union all
    select * from {{ ref('new_refused_commands') }}
    {%- endif %}
),

-- one row per cause that has left a version of the row which a run has written: that version
written as (
    select
        news.intervention_id,
        max_by(
            {{ settled_version(
                'outcomes.replication', 'outcomes.publisher_version', 'outcomes.version_change_id',
                'outcomes'
            ) | indent(8) }},
            {{ decision_order('outcomes') }}
        ) as settled_version
    from news
    inner join outcomes
        on
            news.publication = outcomes.publication
            and news.article = outcomes.article
            and news.row_key = outcomes.row_key
    where
        outcomes.is_written
        and (
            {{ decision_order('outcomes') }} <= {{ decision_order('news.cause') }}
            -- a transaction of queued updating is decided as a whole
            or (
                outcomes.replication = 'queued'
                and outcomes.run_sequence = news.cause.run_sequence
                and outcomes.transaction_position = news.cause.transaction_position
            )
        )
    group by news.intervention_id
),

-- one row per publication: the last place of the queue that earlier runs have taken, by a change or
-- by a report. Reports that this run is the first to see have their own places in it
last_positions as (
    select
        publication,
        max(transaction_position) as last_position
    from outcomes
    group by publication
),

-- one row per intervention, with the version that its cause has left, a tombstone's too, and the
-- place at which it acts
placed as (
    select
        news.*,
        -- a row that no run has written yet has the version of the initial snapshot
        coalesce(
            written.settled_version,
            if(
                news.cause.replication = 'queued'
                or {{ version_number('news.cause.publisher_version') }} is not null,
                news.cause.publisher_version,
                null
            )
        ) as settled_version,
        greatest(last_positions.last_position, news.named_position) as place,
        -- a refused command acts at its own place, unless it has none, or the queue has passed it
        news.kind <> 'refused_command'
        or news.named_position is null
        or coalesce(news.named_position <= last_positions.last_position, false) as is_behind_place
    from news
    left join written on news.intervention_id = written.intervention_id
    left join last_positions on news.publication = last_positions.publication
),

-- one row per publication and place: how many act behind it already, be they changes of a session
-- that the queue had passed
known_places as (
    select
        publication,
        transaction_position,
        max(queue_position - transaction_position) as acting_behind
    from (
        select
            publication,
            transaction_position,
            queue_position
        from known
        union all
        select
            publication,
            transaction_position,
            queue_position
        from outcomes
        where queue_position > transaction_position
    ) as places
    group by publication, transaction_position
),

final as (
    select
        placed.intervention_id,
        placed.publication,
        placed.article,
        placed.row_key,
        placed.node,
        placed.kind,
        placed.conflict_id,
        placed.place as transaction_position,
        -- behind its place, and before the one that follows
        placed.place + if(
            placed.is_behind_place,
            coalesce(known_places.acting_behind, 0)
            + row_number() over (
                partition by placed.publication, placed.place, placed.is_behind_place
                order by placed.place_order, placed.conflict_id, placed.intervention_id
            ),
            0
        ) as queue_position,
        placed.operation,
        placed.change_row,
        placed.new_version,
        placed.settled_version,
        placed.is_writing,
        placed.lost_row,
        placed.won_row,
        placed.loser,
        placed.command_operation,
        placed.failure,
        placed.edited,
        placed.author,
        placed.reason,
        '{{ invocation_id }}' as run_id,
        {{ run_time() }} as first_seen_at
    from placed
    left join known_places
        on
            placed.publication = known_places.publication
            and placed.place = known_places.transaction_position
)

select * from final
