{{ config(materialized='scratch', reads='arrived_changes', taking='is_repeated') }}
{%- set log = continued_log() -%}
{%- set rebuilt_log = rebuilt_log() %}

-- Of the changes whose id is met elsewhere, too, or that have none: those that stay. A second copy
-- is left out; another change with the same id stays and is marked.

with

-- one row per row of a feed
arrived as (
    select
        * except (is_repeated),
        -- first, for sorting
        {{ change_hash(change_id='change_key') }} as change_hash
    from {{ ref('arrived_changes') }}
    where
        is_repeated
        and run_id = '{{ invocation_id }}'
),

-- one row per change that an earlier run knows
known as (
    {{ known_changes(log, rebuilt_log) | indent(4) }}
),

-- one row per change id that an earlier run knows and that has arrived again
known_ids as (
    select
        known.publication,
        known.change_key,
        collect_set(
            if(known.earlier_status in ('decided', 'copy'), known.content_hash, null)
        ) as decided_contents,
        collect_set(
            if(known.earlier_status in ('waiting', 'waiting_late'), known.content_hash, null)
        ) as waiting_contents,
        collect_set(
            if(known.earlier_status = 'rebuilt', known.content_hash, null)
        ) as rebuilt_contents,
        collect_set(
            if(known.earlier_status in ('waiting_late', 'late'), known.content_hash, null)
        ) as late_contents,
        collect_set(
            if(known.earlier_status = 'waiting_copy', known.content_hash, null)
        ) as waiting_copies,
        max(known.earlier_status = 'decided') as is_decided,
        max(
            if(known.earlier_status = 'decided', struct(known.node, known.transaction_id), null)
        ) as decided_transaction
    from known
    left semi join arrived
        on
            known.publication = arrived.publication
            and known.change_key = arrived.change_key
    group by known.publication, known.change_key
),

-- one row per delivery whose content no earlier run has decided, beside what is known of its id
undecided as (
    select
        arrived.*,
        coalesce(known_ids.is_decided, false) as is_id_decided,
        known_ids.decided_transaction,
        coalesce(
            array_contains(known_ids.waiting_contents, arrived.content_hash)
            or array_contains(known_ids.rebuilt_contents, arrived.content_hash),
            false
        ) as was_first,
        coalesce(
            array_contains(known_ids.waiting_contents, arrived.content_hash)
            or array_contains(known_ids.waiting_copies, arrived.content_hash),
            false
        ) as was_seen,
        coalesce(
            array_contains(known_ids.late_contents, arrived.content_hash), false
        ) as was_late
    from arrived
    left join known_ids
        on
            arrived.publication = known_ids.publication
            and arrived.change_key = known_ids.change_key
    where not coalesce(array_contains(known_ids.decided_contents, arrived.content_hash), false)
),

-- one row per such delivery: the one before it of the same id, and the one that came first
compared as (
    select
        *,
        lag(content_hash) over (
            partition by change_hash, publication, change_key
            order by content_hash asc, queue_position asc nulls last
        ) as copy_before,
        min_by(
            struct(content_hash, node, transaction_id),
            struct(not was_first, queue_position is null, queue_position, content_hash)
        ) over (
            partition by change_hash, publication, change_key
        ) as first_copy
    from undecided
),

-- one row per change of those that stays, with the transaction of the change that came first with
-- its id
first_beside as (
    select
        *,
        is_id_decided or content_hash <> first_copy.content_hash as is_other,
        if(
            is_id_decided,
            decided_transaction,
            struct(first_copy.node as node, first_copy.transaction_id as transaction_id)
        ) as first_transaction
    from compared
    where copy_before is null or copy_before <> content_hash
),

final as (
    select
        {{ change_columns() | join(',\n        ') }},
        change_key,
        run_id,
        was_seen,
        was_late,
        if(is_other, content_hash, null) as other_content,
        is_other
        and (
            transaction_id is null
            or (
                node <=> first_transaction.node
                and transaction_id <=> first_transaction.transaction_id
            )
        ) as is_outside_transaction
    from first_beside
)

select * from final
