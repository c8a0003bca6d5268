{{ config(materialized='ephemeral', enabled=has_apply_errors()) }}
{%- set distributed = held_relation('distribution_commands') %}

-- Commands that subscribers have refused, by reports that no earlier run has seen, and what each
-- refusal does to the row.

with

articles as (select * from {{ ref('configured_articles') }}),

publications as (select * from {{ ref('configured_publications') }}),

subscriptions as (select * from {{ ref('subscriptions') }}),

errors as (select * from {{ ref('apply_errors') }}),

outcomes as (
    {{ earlier_outcomes() | indent(4) }}
),

-- one row per decision and refused command that an earlier run has seen
known as (
    {{ earlier_interventions() | indent(4) }}
),

-- one row per command of earlier runs that writes a row at the subscriber
distributed as (
    {% if distributed -%}
    select
        publication,
        command_id,
        subscriber,
        article,
        key,
        operation,
        row,
        old_version,
        kind,
        queue_position,
        cause
    from {{ source('held', 'distribution_commands') }}
    where kind in ('replicated', 'compensating')
    {%- else -%}
    {{ empty_relation({
        'publication': 'string', 'command_id': 'string', 'subscriber': 'string',
        'article': 'string', 'key': 'map<string, string>', 'operation': 'string',
        'row': 'map<string, string>', 'old_version': 'string', 'kind': 'string',
        'queue_position': 'bigint', 'cause': 'string'
    }) | indent(4) }}
    {%- endif %}
),

-- one row per command that a report names, with the change behind it
commands as (
    select
        distributed.publication,
        distributed.command_id,
        distributed.subscriber,
        distributed.article,
        distributed.key,
        distributed.operation,
        distributed.row,
        distributed.old_version,
        articles.primary_key,
        {{ row_key_of_map('distributed.key', 'articles.primary_key') | indent(8) }} as row_key,
        struct(
            outcomes.replication,
            outcomes.run_sequence,
            outcomes.transaction_position,
            outcomes.queue_position,
            outcomes.change_id,
            -- what the publisher held after it, in the subscriber's partition or not
            outcomes.publisher_version
        ) as cause,
        case
            when distributed.kind = 'compensating'
                -- it brings the publisher's row, whoever has made that
                then {{ version_maker(
                    is_written='outcomes.is_written', version_node='outcomes.version_node',
                    version_change_id='outcomes.version_change_id',
                    held_node='outcomes.held_node', held_change_id='outcomes.held_change_id',
                    publisher='publications.publisher'
                ) | indent(12) }}
            when {{ is_decision('outcomes.rule') }} or {{ is_refused_command('outcomes.rule') }}
                then {{ publisher_side('publications.publisher') }}
            else struct(outcomes.node as node, outcomes.change_id as change_id)
        end as loser
    from distributed
    left semi join errors
        on
            distributed.publication = errors.publication
            and distributed.command_id = errors.command_id
    inner join articles
        on
            distributed.publication = articles.publication
            and distributed.article = articles.article
    inner join publications on distributed.publication = publications.publication
    left join outcomes
        on
            distributed.publication = outcomes.publication
            and distributed.queue_position = outcomes.transaction_position
            and (
                distributed.cause = outcomes.change_id
                or distributed.cause = outcomes.conflict_id
            )
),

-- one row per report of a subscriber about a command of its own
reported as (
    select
        {{ refusal_id('errors') }} as intervention_id,
        errors.subscriber,
        errors.queue_position,
        errors.row as refused_row,
        errors.error_code,
        errors.error_text,
        commands.* except (subscriber)
    from errors
    inner join subscriptions
        on
            errors.publication = subscriptions.publication
            and errors.subscriber = subscriptions.subscriber
    inner join commands
        on
            errors.publication = commands.publication
            and errors.command_id = commands.command_id
            and errors.subscriber = coalesce(commands.subscriber, errors.subscriber)
),

-- one row per report whose row the publisher could publish
publishable as (
    select
        * except (refused_row),
        if(refused_row is null, null, {{ canonical_edits('refused_row') | indent(8) }})
            as refused_row
    from reported
    where {{ is_publishable() | indent(4) }}
),

-- one row per such report about the row of its command; one may be delivered twice
numbered as (
    select
        *,
        row_number() over (
            partition by intervention_id
            order by queue_position, error_code, error_text, to_json(refused_row)
        ) as copy_number
    from publishable
    where
        refused_row is null
        or row_key = {{ row_key_of_map('refused_row', 'primary_key') | indent(8) }}
),

-- one row per command that a subscriber has refused
refused as (
    select numbered.*
    from numbered
    left anti join known on numbered.intervention_id = known.intervention_id
    where numbered.copy_number = 1
),

final as (
    select
        intervention_id,
        publication,
        article,
        row_key,
        subscriber as node,
        'refused_command' as kind,
        cast(null as string) as conflict_id,
        cause,
        queue_position as named_position,
        struct(
            {{ before_queue() }} as named_position,
            cast(0 as bigint) as transaction_position,
            queue_position
        ) as place_order,
        if(refused_row is null, 'delete', 'update') as operation,
        coalesce(refused_row, key) as change_row,
        -- the version of its row at the subscriber
        old_version as new_version,
        true as is_writing,
        row as lost_row,
        cast(null as map<string, string>) as won_row,
        loser,
        operation as command_operation,
        cast(
            named_struct('code', error_code, 'name', error_text) as {{ failure_type() }}
        ) as failure,
        cast(null as map<string, string>) as edited,
        cast(null as string) as author,
        cast(null as string) as reason
    from refused
)

select * from final
