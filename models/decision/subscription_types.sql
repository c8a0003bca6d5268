{{ config(materialized='ledger', full_refresh=false) }}

-- One row per subscription: the type that it began with, by which a change of type is noticed.
-- depends_on: {{ ref('change_queue') }}

with

subscriptions as (select * from {{ ref('subscriptions') }}),

publications as (
    select * from {{ ref('configured_publications') }}
    where replication = 'merge'
),

recorded as (
    {% if held_relation('subscription_types') is not none -%}
    select
        publication,
        subscriber
    from {{ source('held', 'subscription_types') }}
    {%- else -%}
    {{ empty_relation({'publication': 'string', 'subscriber': 'string'}) | indent(4) }}
    {%- endif %}
),

final as (
    select
        subscriptions.publication,
        subscriptions.subscriber,
        subscriptions.type,
        cast({{ run_sequence() }} as bigint) as run_sequence,
        '{{ invocation_id }}' as run_id,
        {{ run_time() }} as recorded_at
    from subscriptions
    left semi join publications on subscriptions.publication = publications.publication
    left anti join recorded
        on
            subscriptions.publication = recorded.publication
            and subscriptions.subscriber = recorded.subscriber
)

select * from final
