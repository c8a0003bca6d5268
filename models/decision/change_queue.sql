{{ config(materialized='scratch', reads=['incoming_changes', 'pending_interventions']) }}
{%- set held = held_state() -%}
{%- set log = continued_log() -%}
{%- set interventions_act = has_interventions() -%}
{#- under merge replication a change is decided without the others of its session -#}
{%- set has_queued = has_queued_updating() -%}
{%- set has_marks = has_reinitialization() -%}
{%- set incoming = incoming_facts() -%}
{%- set length = incoming.changes -%}
{%- set has_few_hashes = length <= most_broadcast('hashes') -%}
{%- set has_few_keys = not interventions_act and has_few_hashes -%}
{%- set has_few_changes = length <= most_broadcast('changes') -%}
{%- set applies_as_it_came = "intake = 'taken' and replication = 'merge' and not is_disputed" -%}
{%- set is_brought_together = is_one_of(
    'met.publication', publications_with_rows_together()
) %}

-- What this run looks at: every change that no earlier run has decided, with what became of it at
-- the intake, and for a taken one the version of its row that the publisher held when the run
-- began, and what the rounds first assume of it; and every decision of a person and refused
-- command whose place the run has reached. Replaced in every run that has anything to look at.
-- Events that name no place in the queue have got theirs before the run takes it further:
-- {{ ref('subscription_event_log') }}

with

-- the number of the run comes from a row, not from the text: code that Spark has compiled for a run
-- serves the next one, too
publications as (
    select
        *,
        cast({{ run_sequence() }} as bigint) as run_sequence
    from {{ ref('configured_publications') }}
),

change_intake as (select * from {{ ref('change_intake') }}),

{% if has_marks -%}
subscription_events as (select * from {{ ref('subscription_event_log') }}),

{% endif -%}
{% if interventions_act -%}
-- one row per publication: how far the queue has been taken
progress as (
    {{ queue_progress(log, held_relation('rejected_changes')) | indent(4) }}
),

{% endif -%}
-- one row per change, for what needs little of it: less is read than of the intake
changes as (
    select
        publication,
        article,
        row_key,
        {{ row_hash() }} as row_hash,
        queue_position,
        old_version,
        new_version
    from {{ ref('incoming_changes') }}
    where run_id = '{{ invocation_id }}'
),

{% if has_few_keys -%}
-- a published table is large beside what comes in: most of its rows need not be looked at closer.
-- A few more than are asked for do no harm
keys_of_run as (
    select row_hash from changes
),

{% endif -%}
-- one row per row that the publisher holds, of the articles that anything came in for
held as (
    {% for item in incoming.articles -%}
    select{{ ' /*+ broadcast(keys_of_run) */' if has_few_keys }}
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        held_rows.row_key,
        held_rows.row_hash,
        {{ held_row_state(
            item.publication, with_values=needs_values(item.publication)
        ) | indent(4) }} as held_state
    from (
        select
            *,
            {{ row_hash("'" ~ item.publication ~ "'", "'" ~ item.article ~ "'") }} as row_hash
        from (
            {{ held_rows(
                item, held[item.publication ~ '.' ~ item.article],
                with_values=needs_values(item.publication)
            ) | indent(12) }}
        )
    ) as held_rows
    {% if has_few_keys -%}
    left semi join keys_of_run on held_rows.row_hash = keys_of_run.row_hash
    {%- endif %}
    {% if not loop.last %}union all
    {% endif -%}
    {%- endfor %}
),

-- rows with more than one change, by their hashes: mostly few. Two rows of one hash count as one
-- here, which does no harm: they are looked at closer than they need to be
shared_rows as (
    select row_hash
    from changes
    group by row_hash
    having count(*) > 1
),

-- one row per change: the row as the run found it, NULL where the publisher never held one, and
-- whether the run has other changes of the row
met as (
    select{{ ' /*+ broadcast(shared_rows) */' if has_few_hashes }}
        change_intake.*,
        held.held_state,
        shared_rows.row_hash is not null as is_row_shared
    from change_intake
    left join shared_rows on change_intake.row_hash = shared_rows.row_hash
    left join held
        on
            change_intake.intake = 'taken'
            and change_intake.row_hash = held.row_hash
            and change_intake.publication = held.publication
            and change_intake.article = held.article
            and change_intake.row_key = held.row_key
),

{% if has_queued -%}
-- one row per change to a row of several. Few columns of `changes` once more cost less than the
-- whole of `met` read twice
shared_changes as (
    select{{ ' /*+ broadcast(shared_rows) */' if has_few_hashes }}
        changes.publication,
        changes.article,
        changes.row_key,
        changes.queue_position,
        changes.old_version,
        changes.new_version
    from changes
    left semi join shared_rows on changes.row_hash = shared_rows.row_hash
),

-- one row per such change, and version that it makes or starts from
version_uses as (
    select
        publication,
        article,
        row_key,
        new_version as version,
        true as is_made,
        cast(null as bigint) as start_position
    from shared_changes
    union all
    select
        publication,
        article,
        row_key,
        old_version as version,
        false as is_made,
        queue_position as start_position
    from shared_changes
),

-- one row per such version: whether any change makes it, and the place of the first that starts
-- from it
versions_of_run as (
    select
        publication,
        article,
        row_key,
        version,
        max(is_made) as is_made,
        min(start_position) as first_start
    from version_uses
    where version is not null
    group by publication, article, row_key, version
),
{%- endif %}

{% if has_marks -%}
-- one row per subscription: where its events lie in the queue
event_positions as (
    select
        publication,
        subscriber,
        collect_list(effective_position) as event_positions
    from subscription_events
    where event = 'reinitialized'
    group by publication, subscriber
),

-- one row per subscription: the transactions whose conflict marked it for reinitialization
mark_positions as (
    {% if log -%}
    select
        publication,
        node as subscriber,
        collect_set(transaction_position) as mark_positions
    from {{ source('held', 'change_outcomes') }}
    where rule = 'publisher_wins_reinitialize'
    group by publication, node
    {%- else -%}
    {{ empty_relation({
        'publication': 'string', 'subscriber': 'string', 'mark_positions': 'array<bigint>'
    }) | indent(4) }}
    {%- endif %}
),
{%- endif %}

-- one row per change, in the queue_columns: what is assumed of it first
guessed as (
    select{{ ' /*+ broadcast(versions_of_run) */' if has_queued and has_few_changes }}
        met.publication,
        met.article,
        met.row_key,
        met.change_key,
        met.change_id,
        met.node,
        met.is_publisher_change,
        met.transaction_key,
        met.transaction_position,
        met.queue_position,
        met.operation,
        met.old_version,
        met.new_version,
        met.change_row,
        met.other_content,
        publications.policy,
        publications.publisher,
        publications.run_sequence,
        met.intake,
        met.was_seen,
        met.violation,
        met.replication,
        met.lineage,
        met.known_position,
        met.previous_values,
        met.written_columns,
        met.tracked_columns,
        met.ignores_equal_values,
        met.contending_priority,
        met.defending_priority,
        met.held_state as held_before_run,
        {%- if has_marks %}
        -- which reinitialization the subscription is working on: events count as soon as the queue
        -- has passed them
        size(
            filter(
                coalesce(event_positions.event_positions, array()),
                event_position -> event_position < met.transaction_position
            )
        ) as reinitialization,
        exists(
            coalesce(mark_positions.mark_positions, array()),
            mark_position -> mark_position < met.transaction_position
            and not exists(
                coalesce(event_positions.event_positions, array()),
                event_position -> event_position >= mark_position
                and event_position < met.transaction_position
            )
        ) as was_waiting_before_run,
        {%- else %}
        0 as reinitialization,
        false as was_waiting_before_run,
        {%- endif %}
        -- whether the decision may depend on another decision of this run about the row. Under
        -- queued updating the rounds have it of all changes of a transaction
        {% if has_queued -%}
        coalesce(publications.policy = 'publisher_wins_reinitialize', false)
        or {% endif -%}
        met.is_row_shared
        or {{ is_brought_together }} as is_contended,
        -- whether a decision of this run may look at what is assumed of this change, be there a
        -- later one of its row or not
        {{ 'true' if interventions_act else is_brought_together }} as is_looked_at,
        -- the first guess of the rounds: a change makes a version, of the row as it has it. Under
        -- queued updating not where it starts from a version that another change has started from
        -- before, or that was gone when the run began
        met.intake = 'taken'
        {%- if has_records() %}
        and met.operation <> 'image'
        {%- endif %}
        {%- if has_queued %}
        and (
            met.replication = 'merge'
            or publications.policy = 'subscriber_wins'
            or met.is_publisher_change
            or met.operation = 'insert'
            or not met.is_row_shared
            or (
                coalesce(met.queue_position = versions_of_run.first_start, false)
                and (versions_of_run.is_made or met.held_state.version <=> met.old_version)
            )
        )
        {%- endif %} as guess,
        {%- if has_merge_replication() %}
        met.session_end,
        cast(null as {{ row_state_type() }}) as guessed_state,
        {%- endif %}
        cast(null as {{ failure_type() }}) as guessed_failure,
        {%- if has_queued %}
        -- a failure may be assumed before it is sure
        false as is_failure_final,
        {%- endif %}
        {%- if has_merge_replication() %}
        false as is_certain,
        {%- endif %}
        -- rounds add rows that the run itself writes, for logical records
        false as is_run_row,
        cast(null as string) as cause_change_id,
        0 as round_number,
        '{{ invocation_id }}' as run_id,
        cast(null as {{ intervention_type() }}) as intervention
    from met
    inner join publications on met.publication = publications.publication
    {% if has_queued -%}
    left join versions_of_run
        on
            met.is_row_shared
            and met.publication = versions_of_run.publication
            and met.article = versions_of_run.article
            and met.row_key = versions_of_run.row_key
            and met.old_version = versions_of_run.version
    {%- endif %}
    {%- if has_marks %}
    left join event_positions
        on
            met.publication = event_positions.publication
            and met.node = event_positions.subscriber
    left join mark_positions
        on
            met.publication = mark_positions.publication
            and met.node = mark_positions.subscriber
    {%- endif %}
),

{% if interventions_act -%}
{{ with_interventions(changes='guessed', held='held', progress='progress') }},

{% endif -%}
-- one row per change: whether it applies as it came, or the rounds look at it
examined as (
    select
        *,
        {{ is_disputed(interventions_act) }} as is_disputed
    from {{ 'acting' if interventions_act else 'guessed' }}
),

final as (
    {% if has_merge_replication() -%}
    -- values are for decisions: what nobody disputes need not be written and read with them
    select
        * except (change_row, previous_values, held_before_run),
        if({{ applies_as_it_came }}, null, change_row) as change_row,
        if({{ applies_as_it_came }}, null, previous_values) as previous_values,
        if(
            {{ applies_as_it_came }} and held_before_run is not null,
            {{ without_values('held_before_run') | indent(12) }},
            held_before_run
        ) as held_before_run
    from examined
    {%- else -%}
    select * from examined
    {%- endif %}
)

select * from final
