{{ config(materialized='scratch', when={'model': 'intervention_log', 'where': 'true'}) }}
{%- set log = continued_log() %}

-- Decisions of people and refused commands that have not acted yet. with_interventions puts those
-- whose place the run has reached among the changes of change_queue.

with

interventions as (select * from {{ ref('intervention_log') }}),

publications as (select * from {{ ref('configured_publications') }}),

articles as (select * from {{ ref('configured_articles') }}),

-- one row per intervention that has acted
acted as (
    {% if log -%}
    select
        publication,
        change_id as intervention_id,
        outcome
    from {{ source('held', 'change_outcomes') }}
    where {{ is_intervention() }}
    {%- else -%}
    {{ empty_relation({
        'publication': 'string', 'intervention_id': 'string', 'outcome': 'string'
    }) | indent(4) }}
    {%- endif %}
),

-- one row per conflict that has been decided
gone as (
    select distinct interventions.conflict_id
    from interventions
    inner join acted on interventions.intervention_id = acted.intervention_id
    where acted.outcome = 'applied'
),

final as (
    select
        interventions.publication,
        interventions.article,
        interventions.row_key,
        interventions.intervention_id as change_id,
        interventions.node,
        interventions.transaction_position,
        interventions.queue_position,
        interventions.operation,
        interventions.new_version,
        interventions.change_row,
        publications.policy,
        publications.publisher,
        publications.replication,
        articles.tracked_columns,
        cast(struct(
            interventions.kind as kind,
            interventions.conflict_id as conflict_id,
            gone.conflict_id is not null as is_gone,
            interventions.settled_version as settled_version,
            interventions.is_writing
            and publications.replication = 'merge'
            and (interventions.kind <> 'refused_command' or articles.compensate_for_errors)
                as is_writing,
            if(interventions.kind = 'refused_command', interventions.lost_row, null) as lost_row,
            if(interventions.kind = 'refused_command', interventions.node, null) as subscriber,
            interventions.command_operation as operation,
            interventions.failure as failure,
            interventions.loser as loser
        ) as {{ intervention_type() }}) as intervention,
        '{{ invocation_id }}' as run_id
    from interventions
    inner join publications on interventions.publication = publications.publication
    inner join articles
        on
            interventions.publication = articles.publication
            and interventions.article = articles.article
    left anti join acted
        on
            interventions.publication = acted.publication
            and interventions.intervention_id = acted.intervention_id
    left join gone on interventions.conflict_id = gone.conflict_id
)

select * from final
