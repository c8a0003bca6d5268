{{ config(materialized='ledger', full_refresh=false) }}

-- One row per policy that a publication of queued updating has had: the record by which a change of
-- policy is noticed.
-- depends_on: {{ ref('change_queue') }}

with

publications as (select * from {{ ref('configured_publications') }}),

recorded as (
    {% if held_relation('publication_policies') is not none -%}
    select
        publication,
        {{ last_recorded('policy') }} as policy
    from {{ source('held', 'publication_policies') }}
    group by publication
    {%- else -%}
    {{ empty_relation({'publication': 'string', 'policy': 'string'}) | indent(4) }}
    {%- endif %}
),

final as (
    select
        publications.publication,
        publications.policy,
        cast({{ run_sequence() }} as bigint) as run_sequence,
        '{{ invocation_id }}' as run_id,
        {{ run_time() }} as recorded_at
    from publications
    left anti join recorded
        on
            publications.publication = recorded.publication
            and publications.policy <=> recorded.policy
    where publications.policy is not null
)

select * from final
