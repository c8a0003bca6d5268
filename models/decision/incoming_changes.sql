{{ config(materialized='scratch') }}
{%- do check_subscriptions() -%}
{%- set log = none if flags.FULL_REFRESH else held_relation('change_outcomes') -%}

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

-- one row per change that an earlier run knows, by what was in it: a rejection stands also when the
-- log is rebuilt
known as (
    {% if log -%}
    select
        publication,
        change_id as change_key,
        content_hash,
        'decided' as known_as
    from {{ source('held', 'change_outcomes') }}
    union all
    {% endif -%}
    {% if held_relation('rejected_changes') -%}
    select
        publication,
        change_key,
        content_hash,
        if(reason = 'duplicate_change_id', 'copy', 'decided') as known_as
    from {{ source('held', 'rejected_changes') }}
    union all
    {% endif -%}
    {% if held_relation('waiting_changes') and not flags.FULL_REFRESH -%}
    select
        publication,
        change_key,
        content_hash,
        'waiting' as known_as
    from {{ source('held', 'waiting_changes') }}
    {%- else -%}
    select
        cast(null as string) as publication,
        cast(null as string) as change_key,
        cast(null as string) as content_hash,
        cast(null as string) as known_as
    where false
    {%- endif %}
),

identified as (
    select
        *,
        -- a change without an id is known by its content and its place
        coalesce(
            change_id,
            concat(
                'missing:',
                md5(concat_ws('|', article, content_hash, cast(queue_position as string)))
            )
        ) as change_key
    from staged
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
        collect_set(if(known_as <> 'waiting', content_hash, null)) as decided_contents,
        collect_set(if(known_as = 'waiting', content_hash, null)) as waiting_contents,
        max(known_as = 'decided') as is_decided
    from known_still
    group by publication, change_key
),

undecided as (
    select
        identified.*,
        coalesce(known_ids.is_decided, false) as is_id_decided,
        coalesce(
            array_contains(known_ids.waiting_contents, identified.content_hash), false
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
        -- first, for sorting: see row_hash
        xxhash64(publication, change_key) as change_hash
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
            content_hash, struct(not was_seen, queue_position is null, queue_position, content_hash)
        ) over (
            partition by change_hash, publication, change_key
        ) as first_content
    from hashed
),

final as (
    select
        * except (change_hash, copy_before, first_content, is_id_decided),
        is_id_decided or content_hash <> first_content as is_duplicate,
        '{{ invocation_id }}' as run_id
    from compared
    where copy_before is null or copy_before <> content_hash
)

select * from final
