{{ config(materialized='ledger', full_refresh=false) }}

-- One row per subscription, article of its publication, and row filter that it has had: the record
-- by which a change of a filter is noticed.
-- depends_on: {{ ref('change_queue') }}

with

subscriptions as (select * from {{ ref('subscriptions') }}),

articles as (select * from {{ ref('configured_articles') }}),

recorded as (
    {% if held_relation('subscription_filters') is not none -%}
    select
        publication,
        article,
        subscriber,
        {{ last_recorded('row_filter') }} as row_filter
    from {{ source('held', 'subscription_filters') }}
    group by publication, article, subscriber
    {%- else -%}
    {{ empty_relation({
        'publication': 'string', 'article': 'string', 'subscriber': 'string', 'row_filter': 'string'
    }) | indent(4) }}
    {%- endif %}
),

subscribed as (
    select
        subscriptions.publication,
        articles.article,
        subscriptions.subscriber
    from subscriptions
    inner join articles on subscriptions.publication = articles.publication
),

filtered as (
    select
        *,
        {{ subscriber_filter() }} as row_filter
    from subscribed
),

final as (
    select
        filtered.publication,
        filtered.article,
        filtered.subscriber,
        filtered.row_filter,
        cast({{ run_sequence() }} as bigint) as run_sequence,
        '{{ invocation_id }}' as run_id,
        {{ run_time() }} as recorded_at
    from filtered
    left anti join recorded
        on
            filtered.publication = recorded.publication
            and filtered.article = recorded.article
            and filtered.subscriber = recorded.subscriber
            and filtered.row_filter <=> recorded.row_filter
)

select * from final
