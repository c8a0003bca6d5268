{{ config(materialized='ledger', full_refresh=false) }}

-- One row per setting that may not change while there are subscriptions, and value that it has had:
-- the record by which a change is noticed.
-- depends_on: {{ ref('change_queue') }}

with

publications as (select * from {{ ref('configured_publications') }}),

articles as (select * from {{ ref('configured_articles') }}),

subscriptions as (select * from {{ ref('subscriptions') }}),

-- one row per setting: what it was when it was last recorded
recorded as (
    {% if held_relation('recorded_settings') is not none -%}
    select
        setting,
        publication,
        article,
        subscriber,
        {{ last_recorded() }} as recorded_value
    from {{ source('held', 'recorded_settings') }}
    group by setting, publication, article, subscriber
    {%- else -%}
    {{ empty_relation({
        'setting': 'string', 'publication': 'string', 'article': 'string', 'subscriber': 'string',
        'recorded_value': 'string'
    }) | indent(4) }}
    {%- endif %}
),

-- under queued updating: the policy of a publication
policies as (
    select
        'policy' as setting,
        publication,
        cast(null as string) as article,
        cast(null as string) as subscriber,
        policy as recorded_value
    from publications
    where policy is not null
),

-- under merge replication: the type of a subscription
types as (
    select
        'type' as setting,
        subscriptions.publication,
        cast(null as string) as article,
        subscriptions.subscriber,
        subscriptions.type as recorded_value
    from subscriptions
    inner join publications on subscriptions.publication = publications.publication
    where publications.replication = 'merge'
),

-- the row filter of a subscription, article by article; NULL: every row
row_filters as (
    select
        'row_filter' as setting,
        publication,
        article,
        subscriber,
        {{ subscriber_filter() }} as recorded_value
    from (
        select
            subscriptions.publication,
            articles.article,
            subscriptions.subscriber
        from subscriptions
        inner join articles on subscriptions.publication = articles.publication
    ) as subscribed
),

settings as (
    select * from policies
    union all
    select * from types
    union all
    select * from row_filters
),

final as (
    select
        settings.setting,
        settings.publication,
        settings.article,
        settings.subscriber,
        settings.recorded_value,
        cast({{ run_sequence() }} as bigint) as run_sequence,
        '{{ invocation_id }}' as run_id,
        {{ run_time() }} as recorded_at
    from settings
    left anti join recorded
        on
            settings.setting = recorded.setting
            and settings.publication = recorded.publication
            and settings.article <=> recorded.article
            and settings.subscriber <=> recorded.subscriber
            and settings.recorded_value <=> recorded.recorded_value
)

select * from final
