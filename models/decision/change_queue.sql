{{ config(materialized='scratch', reads=['incoming_changes', 'pending_interventions']) }}
{%- set held = held_state() -%}
{%- set log = none if flags.FULL_REFRESH else held_relation('change_outcomes') -%}
{%- set rebuilt_log = held_relation('change_outcomes') if flags.FULL_REFRESH else none -%}
{%- set waited = held_relation('waiting_changes') -%}
{%- set rejected = held_relation('rejected_changes') -%}
{%- set has_interventions = has_interventions() -%}
{#- under merge replication a change is decided without the others of its session -#}
{%- set has_queued = is_queued() -%}
{%- set has_marks = has_reinitialization() -%}
{%- set progress = queue_progress(log, rejected) -%}
{%- set incoming = incoming_facts(progress) -%}
{#- without changes that may be too old nobody asks for the clock; those that were rejected before
    set it, too -#}
{%- set has_clock = not execute or (rejected and flags.FULL_REFRESH) or incoming.has_aged -%}
{%- set has_few_hashes = incoming.changes <= most_broadcast('hashes') -%}
{%- set has_few_keys = not has_interventions and has_few_hashes -%}
{%- set has_few_changes = incoming.changes <= most_broadcast('changes') -%}
{%- set is_brought_together = is_one_of(
    'met.publication', publications_with_rows_together()
) -%}

-- What this run looks at: every change that no earlier run has decided, with what became of it at
-- the intake ('taken', 'waiting' for the rest of its transaction, 'rejected' because it breaks the
-- contract), and for a taken one the version of its row that the publisher held when the run began.
-- Replaced in every run that has changes to look at. Events that name no place in the queue have
-- got theirs before the run takes it further:
-- {{ ref('subscription_event_log') }}

with

-- what differs from run to run comes from a row, not from the text: code that Spark has compiled
-- for a run serves the next one, too
publications as (
    select
        *,
        {{ run_time() }} + interval 1 day as latest_time,
        cast({{ run_sequence() }} as bigint) as run_sequence
    from {{ ref('configured_publications') }}
),

subscriptions as (select * from {{ ref('subscriptions') }}),

{% if has_marks -%}
subscription_events as (select * from {{ ref('subscription_event_log') }}),
{%- endif %}

-- one row per change. Its values stay behind, where the decision needs none: what becomes of it is
-- put beside them when it is recorded
changes as (
    select
        * except (change_row, content_hash),
        if({{ publication_needs_values() }}, change_row, null) as change_row,
        {{ row_hash() }} as row_hash
    from {{ ref('incoming_changes') }}
    where run_id = '{{ invocation_id }}'
),

-- one row per publication: how far the queue has been taken, and the clock that ages are measured
-- by. A change that kept the contract counts there also when it was rejected with its transaction
progress as (
    {{ progress | indent(4) }}
),

-- when the log is rebuilt, what was one transaction stays one, at its place: those without a count
-- that came in different deliveries stay apart
earlier_groups as (
    {% if rebuilt_log -%}
    select
        publication,
        change_id,
        transaction_position
    from {{ source('held', 'change_outcomes') }}
    {%- else -%}
    select
        cast(null as string) as publication,
        cast(null as string) as change_id,
        cast(null as bigint) as transaction_position
    where false
    {%- endif %}
),

-- one row per session of merge replication with changes that were rejected before: they count
-- towards it when the log is rebuilt
earlier_rejections as (
    {% if rejected and flags.FULL_REFRESH -%}
    select
        publication,
        node,
        transaction_id,
        count(*) as rejected_changes,
        max(queue_position) as last_position
    from {{ source('held', 'rejected_changes') }}
    where
        reason <> 'transaction'
        and not is_apart
    group by publication, node, transaction_id
    {%- else -%}
    select
        cast(null as string) as publication,
        cast(null as string) as node,
        cast(null as string) as transaction_id,
        cast(null as bigint) as rejected_changes,
        cast(null as bigint) as last_position
    where false
    {%- endif %}
),

-- the priority with which a change of merge replication contends is the one that its subscription
-- had when a run first saw it
earlier_priorities as (
    {% if rebuilt_log -%}
    select
        publication,
        change_id,
        priority
    from {{ source('held', 'change_outcomes') }}
    where priority is not null
    {%- endif %}
    {%- if rebuilt_log and waited %}
    union all
    {%- endif %}
    {%- if waited %}
    select
        waiting.publication,
        waiting.change_id,
        waiting.priority
    from {{ source('held', 'waiting_changes') }} as waiting
    {%- if rebuilt_log %}
    left anti join {{ source('held', 'change_outcomes') }} as decided
        on
            waiting.publication = decided.publication
            and waiting.change_id = decided.change_id
    {%- endif %}
    where
        waiting.priority is not null
        and not waiting.is_other_content
    {%- endif %}
    {%- if not rebuilt_log and not waited %}
    select
        cast(null as string) as publication,
        cast(null as string) as change_id,
        cast(null as decimal(5, 2)) as priority
    where false
    {%- endif %}
),

grouped as (
    select
        changes.*,
        -- the changes of a transaction come from one node; one without a transaction stands alone
        to_json(
            struct(
                changes.node,
                changes.transaction_id,
                if(changes.transaction_id is null, changes.change_key, null) as change_key,
                earlier_groups.transaction_position,
                if(changes.is_apart, changes.other_content, null) as other_content
            )
        ) as transaction_key,
        earlier_groups.transaction_position as earlier_position
    from changes
    left join earlier_groups
        on
            changes.publication = earlier_groups.publication
            and changes.change_id = earlier_groups.change_id
),

counted as (
    select
        grouped.* except (earlier_position),
        {{ transaction_hash('grouped') }} as transaction_hash,
        publications.replication,
        publications.publisher,
        publications.retention_days,
        publications.latest_time,
        coalesce(earlier_rejections.rejected_changes, 0) as rejected_before,
        earlier_rejections.last_position as rejected_position,
        grouped.earlier_position
    from grouped
    inner join publications on grouped.publication = publications.publication
    left join earlier_rejections
        on
            publications.replication = 'merge'
            and not grouped.is_apart
            and grouped.publication = earlier_rejections.publication
            and grouped.node = earlier_rejections.node
            and grouped.transaction_id = earlier_rejections.transaction_id
),

-- one row per subscription: the priority with which its changes contend. That of a client below a
-- republisher is the republisher's, which owns them
priorities as (
    select
        subscriptions.publication,
        subscriptions.subscriber,
        {{ subscription_priority(
            'coalesce(republishers.type, subscriptions.type)',
            'coalesce(republishers.priority, subscriptions.priority)'
        ) | indent(8) }} as priority,
        republishers.subscriber is null and subscriptions.type = 'client' as is_client
    from subscriptions
    left join subscriptions as republishers
        on
            subscriptions.publication = republishers.publication
            and subscriptions.below = republishers.subscriber
            and subscriptions.type = 'client'
),

-- one row per change: everything that the contract asks about it, its age aside
checked as (
    select /*+ broadcast(priorities) */
        counted.* except (priority),
        counted.node <=> counted.publisher as is_publisher_change,
        progress.clock as clock_before_run,
        counted.node <=> counted.publisher
        or priorities.subscriber is not null as is_known_node,
        {% if has_records() -%}
        -- the image of a row is no version of its own
        coalesce(counted.operation = 'image' and counted.lineage is not null, false)
        or {% endif -%}
        {{ has_version(
            'counted.replication', 'counted.operation', 'counted.old_version',
            'counted.new_version', 'counted.lineage', 'counted.known_position',
            'counted.node'
        ) | indent(4) }} as has_version,
        {{ change_priority(
            'counted.node <=> counted.publisher', 'priorities.is_client',
            'coalesce(counted.priority, earlier_priorities.priority)', 'priorities.priority'
        ) | indent(4) }} as contending_priority,
        {{ defending_priority(
            'counted.node <=> counted.publisher', 'priorities.is_client',
            'coalesce(counted.priority, earlier_priorities.priority)', 'priorities.priority'
        ) | indent(4) }} as defending_priority,
        counted.was_late
        or (
            not counted.was_seen
            and coalesce(counted.queue_position <= progress.last_position, false)
        ) as is_late,
        coalesce(counted.changed_at > counted.latest_time, false) as is_in_future
    from counted
    left join progress on counted.publication = progress.publication
    left join priorities
        on
            counted.publication = priorities.publication
            and counted.node = priorities.subscriber
    left join earlier_priorities
        on
            counted.replication = 'merge'
            and counted.publication = earlier_priorities.publication
            and counted.change_id = earlier_priorities.change_id
),

-- one row per change, with the place of its transaction: that of its last change, whatever becomes
-- of that one
transactions as (
    select
        *,
        coalesce(
            earlier_position,
            greatest(max(queue_position) over in_transaction, rejected_position)
        ) as transaction_position,
        is_apart
        or transaction_id is null
        or rejected_before + count(*) over in_transaction
        >= coalesce(max(transaction_change_count) over in_transaction, 0) as is_complete
    from checked
    window in_transaction as (partition by transaction_hash, publication, transaction_key)
),

{% if rejected and flags.FULL_REFRESH -%}
-- one row per place in the queue: the clock as changes before it have set it that an earlier run
-- rejected with their transaction
clocks_of_rejected as (
    select
        publication,
        transaction_position,
        queue_position,
        max(max(changed_at)) over (
            partition by publication
            order by transaction_position, queue_position
            rows between unbounded preceding and 1 preceding
        ) as clock_of_rejected
    from (
        select
            publication,
            max(queue_position) over (
                partition by publication, node, transaction_id
            ) as transaction_position,
            queue_position,
            if(reason = 'transaction', changed_at, null) as changed_at
        from {{ source('held', 'rejected_changes') }}
        union all
        select
            publication,
            transaction_position,
            queue_position,
            cast(null as timestamp) as changed_at
        from transactions
    )
    group by publication, transaction_position, queue_position
),

{% endif -%}

{% if has_clock -%}
-- one row per change: the publication's clock as the changes before it in the queue have set it
timed as (
    select
        transactions.*,
        greatest(
            clock_before_run,
            {%- if rejected and flags.FULL_REFRESH %}
            clocks_of_rejected.clock_of_rejected,
            {%- endif %}
            max(
                case
                    when
                        is_complete
                        and {{ violation_in_queue(
                            is_expired='false', relation='transactions.'
                        ) | indent(16) }} is null
                        then changed_at
                end
            ) over (
                partition by transactions.publication
                order by transactions.transaction_position, transactions.queue_position
                rows between unbounded preceding and 1 preceding
            )
        ) as clock
    from transactions
    {%- if rejected and flags.FULL_REFRESH %}
    left join clocks_of_rejected
        on
            transactions.publication = clocks_of_rejected.publication
            and transactions.transaction_position = clocks_of_rejected.transaction_position
            and transactions.queue_position = clocks_of_rejected.queue_position
    {%- endif %}
),
{%- else -%}
timed as (
    select
        *,
        cast(null as timestamp) as clock
    from transactions
),
{%- endif %}

judged as (
    select
        *,
        {{ violation_in_queue(
            is_expired='coalesce(changed_at < clock - make_dt_interval(retention_days), false)'
        ) | indent(4) }} as violation
    from timed
),

-- a transaction that is not complete waits, whole; under queued updating one violation takes the
-- whole transaction with it
admitted as (
    select
        *,
        case
            when not is_complete then 'waiting'
            when violation is not null then 'rejected'
            when
                replication = 'queued'
                and max(violation) over (
                    partition by transaction_hash, publication, transaction_key
                ) is not null
                then 'rejected'
            else 'taken'
        end as intake
    from judged
),

{% if has_few_keys -%}
-- a published table is large beside what comes in: most of its rows need not be looked at closer.
-- A few more than are asked for do no harm
keys_of_run as (
    select row_hash from changes
),

{% endif -%}
-- one row per row that the publisher holds, of the articles in the queue
held as (
    {% for item in article_list() -%}
    select{{ ' /*+ broadcast(keys_of_run) */' if has_few_keys }}
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        held_rows.row_key,
        held_rows.row_hash,
        {% set is_merged = is_merge(item.publication) -%}
        {{ row_state(
            'row_version', 'version_node', 'version_change_id', 'is_deleted', 'false',
            lineage='lineage' if is_merged else 'null',
            merge_version='merge_version' if is_merged else 'null',
            row='held_row' if needs_values(item.publication) else 'null'
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
        admitted.*,
        held.held_state,
        shared_rows.row_hash is not null as is_row_shared
    from admitted
    left join shared_rows on admitted.row_hash = shared_rows.row_hash
    left join held
        on
            admitted.intake = 'taken'
            and admitted.row_hash = held.row_hash
            and admitted.publication = held.publication
            and admitted.article = held.article
            and admitted.row_key = held.row_key
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
    select
        cast(null as string) as publication,
        cast(null as string) as subscriber,
        cast(null as array<bigint>) as mark_positions
    where false
    {%- endif %}
),
{%- endif %}

-- one row per change: what is assumed of it first
guessed as (
    select{{ ' /*+ broadcast(versions_of_run) */' if has_queued and has_few_changes }}
        met.publication,
        met.article,
        met.row_key,
        met.row_hash,
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
        met.is_apart,
        publications.policy,
        publications.publisher,
        publications.run_sequence,
        met.intake,
        met.was_seen,
        case
            when met.intake = 'rejected' then coalesce(met.violation, 'transaction')
            -- what is late stays late while it waits
            when met.intake = 'waiting' and met.is_late then 'late_position'
        end as violation,
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
        {{ 'true' if has_interventions else is_brought_together }} as is_looked_at,
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
        {%- if is_merge() %}
        cast(null as {{ row_state_type() }}) as guessed_state,
        {%- endif %}
        cast(null as {{ failure_type() }}) as guessed_failure,
        -- under queued updating a failure may be assumed before it is sure
        met.replication = 'merge' as is_failure_final,
        {%- if has_records() %}
        -- rounds add rows that the run itself writes
        false as is_run_row,
        cast(null as string) as cause_change_id,
        {%- endif %}
        0 as round_number,
        '{{ invocation_id }}' as run_id
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

{% if has_interventions -%}
acting as (
    {{ with_interventions(changes='guessed', held='held', progress='progress') | indent(4) }}
),

{% endif -%}
final as (select * from {{ 'acting' if has_interventions else 'guessed' }})

select * from final
