{{ config(materialized='ephemeral') }}

-- Decisions of people that no earlier run has seen, about conflicts that the decision log has, and
-- what each does to its row.

with

articles as (select * from {{ ref('configured_articles') }}),

publications as (select * from {{ ref('configured_publications') }}),

outcomes as (
    {{ earlier_outcomes() | indent(4) }}
),

-- one row per decision and refused command that an earlier run has seen
known as (
    {{ earlier_interventions() | indent(4) }}
),

identified as (
    {{ identified_decisions() | indent(4) }}
),

-- one row per decision, be it written down twice
decisions as (
    select first_of_each.* except (copy_number)
    from (
        select
            *,
            row_number() over (partition by intervention_id order by author, reason) as copy_number
        from identified
    ) as first_of_each
    left anti join known on first_of_each.intervention_id = known.intervention_id
    where first_of_each.copy_number = 1
),

-- one row per conflict that is decided about
conflicts as (
    select
        outcomes.publication,
        outcomes.article,
        outcomes.row_key,
        outcomes.conflict_id,
        outcomes.replication,
        outcomes.run_sequence,
        outcomes.transaction_position,
        outcomes.queue_position,
        outcomes.change_id,
        outcomes.publisher_version,
        map_filter(
            outcomes.change_row, (name, value) -> array_contains(articles.primary_key, name)
        ) as key_row,
        {{ lost_row() | indent(4) }} as lost_row,
        {{ winning_row() | indent(4) }} as won_row,
        outcomes.loser_node,
        outcomes.loser_change_id,
        -- a failed change that is not undone: its node still has this version of the row
        if(
            {{ is_change_loser() }}
            and outcomes.outcome in ('failed', 'rejected')
            and outcomes.operation <> 'delete'
            and coalesce(outcomes.is_kept_at_node, not articles.compensate_for_errors),
            outcomes.new_version,
            null
        ) as kept_version,
        publications.publisher,
        articles.column_names
    from outcomes
    inner join articles
        on
            outcomes.publication = articles.publication
            and outcomes.article = articles.article
    inner join publications on outcomes.publication = publications.publication
    left semi join decisions on outcomes.conflict_id = decisions.conflict_id
),

decided as (
    select
        conflicts.*,
        decisions.intervention_id,
        decisions.decision,
        decisions.queue_position as named_position,
        decisions.edited,
        decisions.author,
        decisions.reason
    from decisions
    inner join conflicts on decisions.conflict_id = conflicts.conflict_id
),

canonical as (
    select
        * except (edited, lost_row, won_row),
        {{ canonical_edits('edited') | indent(4) }} as edited,
        {{ whole_row('lost_row', 'column_names') | indent(8) }} as lost_row,
        {{ whole_row('won_row', 'column_names') | indent(8) }} as won_row
    from decided
),

final as (
    select
        intervention_id,
        publication,
        article,
        row_key,
        {{ run_node() }} as node,
        decision as kind,
        conflict_id,
        struct(
            replication,
            run_sequence,
            transaction_position,
            queue_position,
            change_id,
            publisher_version
        ) as cause,
        named_position,
        -- behind one place: as they name places before it, then in the order of their conflicts
        struct(
            coalesce(named_position, {{ behind_queue() }}) as named_position,
            transaction_position,
            queue_position
        ) as place_order,
        if(decision = 'submit_loser' and lost_row is null, 'delete', 'update') as operation,
        case
            when decision = 'submit_loser' and lost_row is not null
                then {{ overlaid_row('lost_row', 'edited') | indent(12) }}
            when decision = 'submit_winner' then map_concat(key_row, edited)
            else key_row
        end as change_row,
        if(decision = 'submit_loser', kept_version, null) as new_version,
        decision = 'submit_loser'
        or (decision = 'submit_winner' and size(edited) > 0) as is_writing,
        lost_row,
        won_row,
        struct(loser_node as node, loser_change_id as change_id) as loser,
        cast(null as string) as command_operation,
        cast(null as {{ failure_type() }}) as failure,
        edited,
        author,
        reason
    from canonical
)

select * from final
