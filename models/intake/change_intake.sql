{{ config(materialized='ephemeral') }}
{%- set log = continued_log() -%}
{%- set rebuilt_log = rebuilt_log() -%}
{%- set waited = held_relation('waiting_changes') -%}
{%- set rejected = held_relation('rejected_changes') -%}
{%- set earlier_types = held_relation('recorded_settings') if rebuilt_log else none -%}
{%- set progress = queue_progress(log, rejected) -%}
{%- set sequence = run_sequence() if rejected else none -%}
{%- set facts = intake_facts(progress, rejected, sequence) -%}
{%- set has_passed = facts.has_passed -%}
{%- set interventions_act = has_interventions() -%}
{#- without changes that may be too old nobody asks for the clock; those that were rejected before
    set it, too, which progress does not know without a log -#}
{%- set has_clock = facts.has_aged or (rejected and not log) %}

-- One row per change of this run, with its transaction, and what becomes of it at the intake:
-- 'taken', 'waiting' for the rest of its transaction, or 'rejected' because it breaks the contract.

with

-- what differs from run to run comes from a row, not from the text: code that Spark has compiled
-- for a run serves the next one, too
publications as (
    select
        *,
        {{ run_time() }} + interval 1 day as latest_time
    from {{ ref('configured_publications') }}
),

subscriptions as (select * from {{ ref('subscriptions') }}),

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
-- by, as what was taken has set it
progress as (
    {{ progress | indent(4) }}
),

-- one row per change of a log that is rebuilt: its transaction
earlier_groups as (
    {{ earlier_groups(rebuilt_log) | indent(4) }}
),

-- one row per session with changes that were rejected before, and count towards it
earlier_rejections as (
    {% if flags.FULL_REFRESH -%}
    {{ earlier_rejections(rejected) | indent(4) }}
    {%- else -%}
    {{ earlier_rejections(rejected if facts.has_cut_off else none, sequence) | indent(4) }}
    {%- endif %}
),

-- one row per change that an earlier run has seen: the priority with which it contends
earlier_priorities as (
    {{ earlier_priorities(rebuilt_log, waited) | indent(4) }}
),

-- one row per change: the transaction that it is of
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
                if(changes.is_outside_transaction, changes.other_content, null) as other_content
            )
        ) as transaction_key,
        earlier_groups.transaction_position as earlier_position,
        earlier_groups.place_behind
    from changes
    left join earlier_groups
        on
            changes.publication = earlier_groups.publication
            and changes.change_id = earlier_groups.change_id
            and changes.other_content is null
),

-- one row per change: the rules of its publication, and what of its transaction was rejected before
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
            and not grouped.is_outside_transaction
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
            'if(republishers.subscriber is null, subscriptions.priority, republishers.priority)'
        ) | indent(8) }} as priority,
        republishers.subscriber is null and subscriptions.type = 'client' as is_client
    from subscriptions
    left join subscriptions as republishers
        on
            subscriptions.publication = republishers.publication
            and subscriptions.below = republishers.subscriber
            and subscriptions.type = 'client'
),

-- one row per change: who has made it, and the priorities that count for it
attributed as (
    select /*+ broadcast(priorities) */
        counted.*,
        counted.node <=> counted.publisher as is_publisher_change,
        priorities.subscriber is not null as has_subscription,
        {% if earlier_types -%}
        -- of a subscription that has ended the log has the priority: 0.00 of a client of the
        -- publisher, that of the republisher of one below it
        coalesce(
            priorities.is_client,
            earlier_types.recorded_value = 'client' and earlier_priorities.priority = 0.00
        ) as is_client,
        {%- else -%}
        priorities.is_client,
        {%- endif %}
        -- the log knows with which priority a change has contended, whatever is stamped on it
        coalesce(earlier_priorities.priority, counted.priority) as stamped_priority,
        priorities.priority as subscription_priority
    from counted
    left join priorities
        on
            counted.publication = priorities.publication
            and counted.node = priorities.subscriber
    {%- if earlier_types %}
    left join {{ source('held', 'recorded_settings') }} as earlier_types
        on
            counted.earlier_position is not null
            and earlier_types.setting = 'type'
            and counted.publication = earlier_types.publication
            and counted.node = earlier_types.subscriber
    {%- endif %}
    left join earlier_priorities
        on
            counted.replication = 'merge'
            and counted.publication = earlier_priorities.publication
            and counted.change_id = earlier_priorities.change_id
),

-- one row per change: everything that the contract asks about it, its age aside
checked as (
    select
        attributed.* except (
            priority, has_subscription, is_client, stamped_priority, subscription_priority
        ),
        progress.clock as clock_before_run,
        progress.last_position,
        progress.last_place,
        progress.last_behind,
        attributed.is_publisher_change
        or attributed.has_subscription
        {%- if rebuilt_log %}
        -- what was decided while a subscription lasted stays decided
        or attributed.earlier_position is not null
        {%- endif %} as is_known_node,
        {% if has_records() -%}
        -- the image of a row is no version of its own
        coalesce(attributed.operation = 'image' and attributed.lineage is not null, false)
        or {% endif -%}
        {{ has_version(
            replication='attributed.replication', operation='attributed.operation',
            old_version='attributed.old_version', new_version='attributed.new_version',
            lineage='attributed.lineage', known_position='attributed.known_position',
            node='attributed.node'
        ) | indent(4) }} as has_version,
        {{ has_invalid_priority(
            'attributed.is_publisher_change', 'attributed.priority'
        ) | indent(4) }} as has_invalid_priority,
        {{ change_priority(
            is_publisher_change='attributed.is_publisher_change', is_client='attributed.is_client',
            stamped='attributed.stamped_priority',
            subscription_priority='attributed.subscription_priority'
        ) | indent(4) }} as contending_priority,
        {{ defending_priority(
            is_publisher_change='attributed.is_publisher_change', is_client='attributed.is_client',
            stamped='attributed.stamped_priority',
            subscription_priority='attributed.subscription_priority'
        ) | indent(4) }} as defending_priority,
        attributed.was_late
        or (
            not attributed.was_seen
            and coalesce(attributed.queue_position <= progress.last_position, false)
        ) as is_late,
        coalesce(attributed.changed_at > attributed.latest_time, false) as is_in_future
    from attributed
    left join progress on attributed.publication = progress.publication
),

-- one row per change, with the place of its transaction: that of its last change, whatever becomes
-- of that one
placed as (
    select
        *,
        coalesce(
            earlier_position,
            greatest(max(queue_position) over in_transaction, rejected_position)
        ) as own_position,
        is_outside_transaction
        or transaction_id is null
        or rejected_before + count(*) over in_transaction
        >= coalesce(max(transaction_change_count) over in_transaction, 0) as is_complete
    from checked
    window in_transaction as (partition by transaction_hash, publication, transaction_key)
),

-- one row per change: whether the queue had passed its session before a late change completed it
passed as (
    select
        *,
        {% if has_passed -%}
        replication = 'merge'
        and coalesce(own_position <= last_position, false)
        {%- else -%}
        false
        {%- endif %} as is_passed
    from placed
),

-- such a session is taken behind the last place that was taken, one after the other, and after what
-- ended there
transactions as (
    select
        *,
        if(is_passed, last_place, own_position) as transaction_position,
        if(is_passed, own_position, place_behind) as order_behind
    from passed
),

{% if has_clock and rejected -%}
-- one row per place in the queue: the clock as changes before it have set it that an earlier run
-- rejected with their transaction, be it a run that died before it decided what came before them
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
                partition by publication, node, transaction_id, run_id
            ) as transaction_position,
            queue_position,
            if(reason = 'transaction', changed_at, null) as changed_at
        from {{ source('held', 'rejected_changes') }}
        where not is_outside_transaction
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
            {%- if rejected %}
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
                order by
                    transactions.transaction_position,
                    transactions.order_behind,
                    transactions.queue_position,
                    transactions.change_key
                rows between unbounded preceding and 1 preceding
            )
        ) as clock
    from transactions
    {%- if rejected %}
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

-- one row per change: how it breaks the feed contract by itself. What was decided is not too old
-- afterwards
judged as (
    select
        *,
        {{ violation_in_queue(
            is_expired='earlier_position is null'
            ~ ' and coalesce(changed_at < clock - make_dt_interval(retention_days), false)'
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

{% if has_passed and interventions_act -%}
-- one row per publication: the last place behind that decisions of people have in this run
decisions_behind as (
    select
        publication,
        transaction_position as last_place,
        max(queue_position) as last_behind
    from {{ ref('pending_interventions') }}
    where run_id = '{{ invocation_id }}'
    group by publication, transaction_position
),

{% endif -%}
-- one row per change, with its place: in a session that the queue has passed behind everything that
-- lies behind the same place
ordered as (
    {% if has_passed -%}
    select
        admitted.* except (queue_position),
        if(
            admitted.is_passed and admitted.intake = 'taken',
            {% if interventions_act -%}
            greatest(admitted.last_behind, decisions_behind.last_behind)
            {%- else -%}
            admitted.last_behind
            {%- endif %}
            + row_number() over (
                partition by
                    admitted.publication,
                    admitted.is_passed and admitted.intake = 'taken'
                order by
                    admitted.own_position,
                    admitted.transaction_key,
                    admitted.queue_position,
                    admitted.change_id
            ),
            admitted.queue_position
        ) as queue_position
    from admitted
    {%- if interventions_act %}
    left join decisions_behind
        on
            admitted.publication = decisions_behind.publication
            and admitted.last_place = decisions_behind.last_place
    {%- endif %}
    {%- else -%}
    select
        * except (queue_position),
        coalesce(place_behind, queue_position) as queue_position
    from admitted
    {%- endif %}
),

-- one row per change, with the last place of its session in the queue, be it behind another one
ended as (
    select
        *,
        {% if has_passed or rebuilt_log -%}
        greatest(
            transaction_position,
            max(queue_position) over (
                partition by transaction_hash, publication, transaction_key
            )
        )
        {%- else -%}
        transaction_position
        {%- endif %} as session_end
    from ordered
),

final as (
    select
        publication,
        article,
        row_key,
        row_hash,
        change_key,
        change_id,
        node,
        is_publisher_change,
        transaction_key,
        transaction_position,
        session_end,
        queue_position,
        operation,
        old_version,
        new_version,
        change_row,
        other_content,
        intake,
        was_seen,
        case
            when intake = 'rejected' then coalesce(violation, 'transaction')
            -- what is late stays late while it waits
            when intake = 'waiting' and is_late then 'late_position'
        end as violation,
        replication,
        lineage,
        known_position,
        previous_values,
        written_columns,
        tracked_columns,
        ignores_equal_values,
        contending_priority,
        defending_priority
    from ended
)

select * from final
