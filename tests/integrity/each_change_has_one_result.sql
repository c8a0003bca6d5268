-- Every change that was delivered is decided, rejected or waits: exactly one of the three. A second
-- copy is the same change. Changes behind the last place that a run has taken may have arrived
-- after it: they are left out.
{{ config(tags=['thorough']) }}

with

-- one row per change
delivered as (
    {% for item in article_list() -%}
    select distinct
        publication,
        {{ change_key() | indent(8) }} as change_key,
        content_hash,
        queue_position
    from {{ ref('stg_' ~ item.publication ~ '__' ~ item.article) }}
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    select
        cast(null as string) as publication,
        cast(null as string) as change_key,
        cast(null as bigint) as content_hash,
        cast(null as bigint) as queue_position
    where false
    {%- endfor %}
),

decided as (
    select
        publication,
        change_id as change_key,
        content_hash,
        transaction_position
    from {{ ref('change_outcomes') }}
),

rejected as (
    select
        publication,
        change_key,
        content_hash
    from {{ ref('rejected_changes') }}
),

waiting as (
    select
        publication,
        change_key,
        content_hash
    from {{ ref('waiting_changes') }}
),

last_positions as (
    select
        publication,
        max(transaction_position) as last_position
    from decided
    group by publication
),

-- every place where a change is recorded; who waited and is decided now does not wait
results as (
    select
        publication,
        change_key,
        content_hash,
        'decided' as result
    from decided
    union all
    select
        *,
        'rejected' as result
    from rejected
    union all
    select
        waiting.*,
        'waiting' as result
    from waiting
    left anti join decided
        on
            waiting.publication = decided.publication
            and waiting.change_key = decided.change_key
            and waiting.content_hash = decided.content_hash
    left anti join rejected
        on
            waiting.publication = rejected.publication
            and waiting.change_key = rejected.change_key
            and waiting.content_hash = rejected.content_hash
),

counted as (
    select
        publication,
        change_key,
        content_hash,
        array_sort(collect_list(result)) as results
    from results
    group by publication, change_key, content_hash
),

without_result as (
    select distinct
        delivered.publication,
        delivered.change_key,
        delivered.content_hash,
        cast(array() as array<string>) as results
    from delivered
    inner join last_positions
        on
            delivered.publication = last_positions.publication
            and delivered.queue_position <= last_positions.last_position
    left anti join counted
        on
            delivered.publication = counted.publication
            and delivered.change_key = counted.change_key
            and delivered.content_hash = counted.content_hash
),

final as (
    select * from counted
    where size(results) <> 1
    union all
    select * from without_result
)

select * from final
