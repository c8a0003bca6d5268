{{ config(materialized='scratch') }}
{%- do check_subscriptions() -%}
{%- set known = known_changes(none if flags.FULL_REFRESH else held_relation('change_outcomes')) -%}
{%- set repeated = repeated_changes(known) -%}
{#- hashes of so many, of 8 bytes each, may go to every executor -#}
{%- set lookup = '/*+ broadcast(repeated) */' if feed_length() <= 4000000 else '' %}

-- Every change in the feeds that no earlier run has decided or rejected, once. A second copy of a
-- change is left out; another change with the same id stays and is marked.

with

-- the feeds of all articles in the form of the contract
staged as (
    {% for item in article_list() -%}
    select
        publication,
        article,
        row_key,
        change_id,
        queue_position,
        node,
        transaction_id,
        transaction_change_count,
        operation,
        changed_at,
        {%- for column, data_type in version_columns().items() %}
        {%- if is_merge(item.publication) == (column not in ('old_version', 'new_version')) %}
        {{ column }},
        {%- else %}
        cast(null as {{ data_type }}) as {{ column }},
        {%- endif %}
        {%- endfor %}
        change_row,
        content_hash
    from {{ ref('stg_' ~ item.publication ~ '__' ~ item.article) }}
    {% if not loop.last %}union all
    {% endif -%}
    {%- endfor %}
),

-- one row per id, by its hash, that is met more than once
repeated as (
    {{ repeated | indent(4) }}
),

-- one row per change whose id is met nowhere else
unheard as (
    select {{ lookup }}
        staged.*,
        staged.change_id as change_key,
        false as was_seen,
        cast(null as string) as other_content,
        false as is_apart
    from staged
    left anti join repeated
        on {{ change_hash('staged.publication', 'staged.change_id') }} = repeated.change_hash
    where staged.change_id is not null
),

-- one row per change that an earlier run knows
known as (
    {{ known | indent(4) }}
),

-- one row per change with an id that is met elsewhere, or without one
identified as (
    select {{ lookup }}
        staged.*,
        -- a change without an id is known by its content and its place
        coalesce(
            staged.change_id,
            concat(
                'missing:',
                md5(
                    concat_ws(
                        '|',
                        staged.article,
                        staged.content_hash,
                        cast(staged.queue_position as string)
                    )
                )
            )
        ) as change_key
    from staged
    left join repeated
        on {{ change_hash('staged.publication', 'staged.change_id') }} = repeated.change_hash
    where
        staged.change_id is null
        or repeated.change_hash is not null
),

-- one row per change that an earlier run knows and a feed still has: the log may be much longer
-- than the feeds
known_still as (
    select known.*
    from known
    left semi join identified
        on
            known.publication = identified.publication
            and known.change_key = identified.change_key
),

-- one row per change id that an earlier run knows
known_ids as (
    select
        publication,
        change_key,
        collect_set(if(known_as in ('decided', 'copy'), content_hash, null)) as decided_contents,
        collect_set(if(known_as = 'waiting', content_hash, null)) as waiting_contents,
        collect_set(if(known_as = 'waiting_copy', content_hash, null)) as waiting_copies,
        max(known_as = 'decided') as is_decided,
        max(if(known_as = 'decided', struct(node, transaction_id), null)) as decided_transaction
    from known_still
    group by publication, change_key
),

undecided as (
    select
        identified.*,
        coalesce(known_ids.is_decided, false) as is_id_decided,
        known_ids.decided_transaction,
        coalesce(
            array_contains(known_ids.waiting_contents, identified.content_hash), false
        ) as was_first,
        coalesce(
            array_contains(known_ids.waiting_contents, identified.content_hash)
            or array_contains(known_ids.waiting_copies, identified.content_hash),
            false
        ) as was_seen
    from identified
    left join known_ids
        on
            identified.publication = known_ids.publication
            and identified.change_key = known_ids.change_key
    where not coalesce(array_contains(known_ids.decided_contents, identified.content_hash), false)
),

hashed as (
    select
        *,
        -- first, for sorting
        {{ change_hash(change_id='change_key') }} as change_hash
    from undecided
),

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
    from hashed
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

heard as (
    select
        publication,
        article,
        row_key,
        change_id,
        queue_position,
        node,
        transaction_id,
        transaction_change_count,
        operation,
        changed_at,
        {%- for column in version_columns() %}
        {{ column }},
        {%- endfor %}
        change_row,
        content_hash,
        change_key,
        was_seen,
        if(is_other, content_hash, null) as other_content,
        is_other
        and (
            transaction_id is null
            or (
                node <=> first_transaction.node
                and transaction_id <=> first_transaction.transaction_id
            )
        ) as is_apart
    from first_beside
),

new_changes as (
    select * from unheard
    union all
    select * from heard
),

final as (
    select
        *,
        '{{ invocation_id }}' as run_id
    from new_changes
)

select * from final
