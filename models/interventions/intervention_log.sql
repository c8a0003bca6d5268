{{ config(
    materialized='ledger',
    news={
        'model': ['conflict_decisions'] + (['apply_errors'] if has_apply_errors() else []),
        'where': 'true'
    },
    optional=true,
    full_refresh=false
) }}
{%- set log = held_relation('change_outcomes') %}
{%- set known_log = held_relation('intervention_log') %}
{%- set has_reports = has_apply_errors() and held_relation('distribution_commands') is not none %}

-- What acts on published rows beside changes: decisions of people about conflicts, and commands
-- that subscribers have refused, each with its place in the queue and all that it needs to act. The
-- place of a decision depends on the run that first sees it; it is written down here, and a full
-- refresh leaves it alone and uses it.
-- Nothing is written before decisions have been checked:
-- {{ ref('incoming_changes') }}
-- {{ ref('apply_errors') if has_apply_errors() else '' }}

with

articles as (
    select
        configured_articles.publication,
        configured_articles.article,
        configured_articles.primary_key,
        configured_articles.column_names,
        configured_articles.compensate_for_errors,
        publications.publisher
    from {{ ref('configured_articles') }} as configured_articles
    inner join {{ ref('configured_publications') }} as publications
        on configured_articles.publication = publications.publication
),

outcomes as (
    {% if log -%}
    select * from {{ source('held', 'change_outcomes') }}
    {%- else -%}
    {{ no_outcomes() | indent(4) }}
    {%- endif %}
),

-- one row per intervention that an earlier run has seen
known as (
    {% if known_log -%}
    select
        intervention_id,
        publication,
        transaction_position,
        queue_position
    from {{ source('held', 'intervention_log') }}
    {%- else -%}
    {{ empty_relation({
        'intervention_id': 'string', 'publication': 'string', 'transaction_position': 'bigint',
        'queue_position': 'bigint'
    }) | indent(4) }}
    {%- endif %}
),

decisions as (
    select first_of_each.* except (copy_number)
    from (
        select
            *,
            row_number() over (partition by intervention_id order by author, reason) as copy_number
        from (
            {{ identified_decisions() | indent(12) }}
        )
    ) as first_of_each
    left anti join known on first_of_each.intervention_id = known.intervention_id
    where first_of_each.copy_number = 1
),

-- one row per conflict that is decided about
conflicts as (
    select
        outcomes.publication,
        outcomes.article,
        outcomes.row_key,
        outcomes.conflict_id,
        outcomes.replication,
        outcomes.run_sequence,
        outcomes.transaction_position,
        outcomes.queue_position,
        outcomes.change_id,
        outcomes.publisher_version,
        map_filter(
            outcomes.change_row, (name, value) -> array_contains(articles.primary_key, name)
        ) as key_row,
        {{ lost_row() | indent(4) }} as lost_row,
        {{ winning_row() | indent(4) }} as won_row,
        outcomes.loser_node,
        outcomes.loser_change_id,
        -- a failed change that is not undone: its node still has this version of the row
        if(
            {{ is_change_loser() }}
            and outcomes.outcome in ('failed', 'rejected')
            and outcomes.operation <> 'delete'
            and coalesce(outcomes.is_kept_at_node, not articles.compensate_for_errors),
            outcomes.new_version,
            null
        ) as kept_version,
        articles.publisher,
        articles.column_names
    from outcomes
    inner join articles
        on
            outcomes.publication = articles.publication
            and outcomes.article = articles.article
    left semi join decisions on outcomes.conflict_id = decisions.conflict_id
),

{% if has_reports -%}
-- one row per command that a report names, with the change behind it
commands as (
    select
        commands.publication,
        commands.command_id,
        commands.subscriber,
        commands.article,
        commands.key,
        commands.operation,
        commands.row,
        commands.old_version,
        {{ row_key_of_map('commands.key', 'articles.primary_key') | indent(8) }} as row_key,
        outcomes.replication,
        outcomes.run_sequence,
        outcomes.transaction_position,
        outcomes.queue_position as cause_position,
        outcomes.change_id,
        -- what the publisher held after it, in the subscriber's partition or not
        outcomes.publisher_version,
        case
            when commands.kind = 'compensating'
                -- it brings the publisher's row, whoever has made that
                then {{ version_maker(
                    'outcomes.is_written', 'outcomes.version_node', 'outcomes.version_change_id',
                    'outcomes.held_node', 'outcomes.held_change_id', 'articles.publisher'
                ) | indent(12) }}
            when {{ is_decision('outcomes.rule') }} or {{ is_refused_command('outcomes.rule') }}
                then {{ publisher_side('articles.publisher') }}
            else struct(outcomes.node as node, outcomes.change_id as change_id)
        end as loser
    from {{ source('held', 'distribution_commands') }} as commands
    left semi join {{ ref('apply_errors') }} as errors
        on
            commands.publication = errors.publication
            and commands.command_id = errors.command_id
    inner join articles
        on
            commands.publication = articles.publication
            and commands.article = articles.article
    left join outcomes
        on
            commands.publication = outcomes.publication
            and commands.queue_position = outcomes.transaction_position
            and (commands.cause = outcomes.change_id or commands.cause = outcomes.conflict_id)
    where commands.kind in ('replicated', 'compensating')
),

-- one row per command that a subscriber has refused; a report may be delivered twice
reports as (
    select * except (copy_number)
    from (
        select
            concat('refused/', errors.subscriber, '/', errors.command_id) as intervention_id,
            commands.publication,
            commands.article,
            errors.queue_position,
            errors.subscriber,
            commands.row_key,
            commands.key,
            errors.row,
            errors.error_code,
            errors.error_text,
            commands.operation as command_operation,
            commands.row as command_row,
            commands.old_version,
            commands.replication,
            commands.run_sequence,
            commands.transaction_position,
            commands.cause_position,
            commands.change_id,
            commands.publisher_version,
            commands.loser,
            row_number() over (
                partition by errors.subscriber, errors.command_id
                order by errors.queue_position
            ) as copy_number
        from {{ ref('apply_errors') }} as errors
        inner join commands
            on
                errors.publication = commands.publication
                and errors.command_id = commands.command_id
                and errors.subscriber = coalesce(commands.subscriber, errors.subscriber)
    )
    where copy_number = 1
),

new_reports as (
    select reports.*
    from reports
    left anti join known on reports.intervention_id = known.intervention_id
),
{%- endif %}

-- one row per conflict that is decided about, and per command that was refused: the decision of
-- which it must be known what it has left
asked as (
    select
        conflict_id as asked_id,
        publication,
        article,
        row_key,
        replication,
        run_sequence,
        transaction_position,
        queue_position,
        change_id,
        publisher_version
    from conflicts
    {%- if has_reports %}
    union all
    select
        intervention_id as asked_id,
        publication,
        article,
        row_key,
        replication,
        run_sequence,
        transaction_position,
        cause_position as queue_position,
        change_id,
        publisher_version
    from new_reports
    {%- endif %}
),

-- one row per such decision of which the row was written: the version that it has left
written as (
    select
        asked.asked_id,
        max_by(
            {{ settled_version(
                'outcomes.replication', 'outcomes.publisher_version', 'outcomes.version_change_id',
                'outcomes'
            ) | indent(8) }},
            {{ decision_order('outcomes') }}
        ) as settled_version
    from asked
    inner join outcomes
        on
            asked.publication = outcomes.publication
            and asked.article = outcomes.article
            and asked.row_key = outcomes.row_key
    where
        outcomes.is_written
        and (
            {{ decision_order('outcomes') }} <= {{ decision_order('asked') }}
            -- a transaction of queued updating is decided as a whole
            or (
                outcomes.replication = 'queued'
                and outcomes.run_sequence = asked.run_sequence
                and outcomes.transaction_position = asked.transaction_position
            )
        )
    group by asked.asked_id
),

-- one row per such decision: the version of the row that it has left, a tombstone's too
settled as (
    select
        asked.asked_id,
        -- a row that no run has written yet has the version of the initial snapshot
        coalesce(
            written.settled_version,
            if(
                asked.replication = 'queued'
                or {{ version_number('asked.publisher_version') }} is not null,
                asked.publisher_version,
                null
            )
        ) as settled_version
    from asked
    left join written on asked.asked_id = written.asked_id
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

decided as (
    select
        conflicts.*,
        settled.settled_version,
        decisions.intervention_id,
        decisions.decision,
        decisions.queue_position as named_position,
        decisions.edited,
        decisions.author,
        decisions.reason
    from decisions
    inner join conflicts on decisions.conflict_id = conflicts.conflict_id
    inner join settled on decisions.conflict_id = settled.asked_id
),

canonical as (
    select
        * except (edited, lost_row, won_row),
        {{ canonical_edits('edited') | indent(4) }} as edited,
        {{ whole_row('lost_row', 'column_names') | indent(8) }} as lost_row,
        {{ whole_row('won_row', 'column_names') | indent(8) }} as won_row
    from decided
),

described as (
    select
        canonical.intervention_id,
        canonical.publication,
        canonical.article,
        canonical.row_key,
        concat(canonical.publisher, '*') as node,
        canonical.decision as kind,
        canonical.conflict_id,
        -- it acts behind this place of the queue
        greatest(last_positions.last_position, canonical.named_position) as place,
        true as is_behind_place,
        -- behind one place: as they name places before it, then in the order of their conflicts
        struct(
            coalesce(canonical.named_position, {{ behind_queue() }}) as named_position,
            canonical.transaction_position,
            canonical.queue_position
        ) as place_order,
        if(
            canonical.decision = 'submit_loser' and canonical.lost_row is null, 'delete', 'update'
        ) as operation,
        case
            when canonical.decision = 'submit_loser' and canonical.lost_row is not null
                then {{ overlaid_row('canonical.lost_row', 'canonical.edited') | indent(12) }}
            when canonical.decision = 'submit_winner'
                then map_concat(canonical.key_row, canonical.edited)
            else canonical.key_row
        end as change_row,
        if(canonical.decision = 'submit_loser', canonical.kept_version, null) as new_version,
        canonical.settled_version,
        canonical.decision = 'submit_loser'
        or (canonical.decision = 'submit_winner' and size(canonical.edited) > 0) as is_writing,
        canonical.lost_row,
        canonical.won_row,
        struct(canonical.loser_node as node, canonical.loser_change_id as change_id) as loser,
        cast(null as string) as command_operation,
        cast(null as {{ failure_type() }}) as failure,
        canonical.edited,
        canonical.author,
        canonical.reason
    from canonical
    left join last_positions on canonical.publication = last_positions.publication
    {%- if has_reports %}
    union all
    select
        new_reports.intervention_id,
        new_reports.publication,
        new_reports.article,
        new_reports.row_key,
        new_reports.subscriber as node,
        'refused_command' as kind,
        cast(null as string) as conflict_id,
        greatest(last_positions.last_position, new_reports.queue_position) as place,
        -- at its own place, unless it has none, or the queue has passed it
        new_reports.queue_position is null
        or coalesce(
            new_reports.queue_position <= last_positions.last_position, false
        ) as is_behind_place,
        struct(
            {{ before_queue() }} as named_position,
            cast(0 as bigint) as transaction_position,
            new_reports.queue_position
        ) as place_order,
        if(new_reports.row is null, 'delete', 'update') as operation,
        coalesce(new_reports.row, new_reports.key) as change_row,
        -- the version of its row at the subscriber
        new_reports.old_version as new_version,
        settled.settled_version,
        true as is_writing,
        new_reports.command_row as lost_row,
        cast(null as map<string, string>) as won_row,
        new_reports.loser,
        new_reports.command_operation,
        struct(new_reports.error_code as code, new_reports.error_text as name) as failure,
        cast(null as map<string, string>) as edited,
        cast(null as string) as author,
        cast(null as string) as reason
    from new_reports
    inner join settled on new_reports.intervention_id = settled.asked_id
    left join last_positions on new_reports.publication = last_positions.publication
    {%- endif %}
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
        described.intervention_id,
        described.publication,
        described.article,
        described.row_key,
        described.node,
        described.kind,
        described.conflict_id,
        described.place as transaction_position,
        -- behind its place, and before the one that follows
        described.place + if(
            described.is_behind_place,
            coalesce(known_places.acting_behind, 0)
            + row_number() over (
                partition by described.publication, described.place, described.is_behind_place
                order by described.place_order, described.conflict_id, described.intervention_id
            ),
            0
        ) as queue_position,
        described.operation,
        described.change_row,
        described.new_version,
        described.settled_version,
        described.is_writing,
        described.lost_row,
        described.won_row,
        described.loser,
        described.command_operation,
        described.failure,
        described.edited,
        described.author,
        described.reason,
        '{{ invocation_id }}' as run_id,
        {{ run_time() }} as first_seen_at
    from described
    left join known_places
        on
            described.publication = known_places.publication
            and described.place = known_places.transaction_position
)

select * from final
