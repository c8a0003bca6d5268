{{ config(
    materialized='ledger',
    news={'model': 'change_queue', 'by': 'run_id', 'where': "intake = 'taken'"},
    commit_once=true,
    partition_by='run_sequence'
) }}
{%- set held = held_state() %}

-- The decision log: one row per change that a run has decided. Written first, in one commit a run,
-- and the only authority: everything to the right of it is derived from it.
-- What earlier steps record of the same run comes first:
-- {{ ref('rejected_changes') }}
-- {{ ref('waiting_changes') }}
-- {{ ref('publication_policies') }}

with

changes as (
    select * from {{ ref('change_queue') }}
    where
        intake = 'taken'
        and run_id = '{{ invocation_id }}'
),

decisions as (select * from {{ ref('change_decisions') }}),

articles as (select * from {{ ref('configured_articles') }}),

decided as (
    select
        changes.publication,
        changes.article,
        changes.row_key,
        changes.change_id,
        changes.node,
        changes.transaction_id,
        changes.transaction_change_count,
        changes.transaction_position,
        changes.queue_position,
        changes.operation,
        changes.changed_at,
        changes.old_version,
        changes.new_version,
        changes.change_row,
        changes.content_hash,
        changes.policy,
        changes.run_sequence,
        articles.conflict_logging,
        decisions.comparison,
        decisions.held_row.version as held_version,
        decisions.held_row.node as held_node,
        decisions.held_row.change_id as held_change_id,
        decisions.outcome,
        decisions.rule,
        decisions.is_rejected,
        decisions.is_written,
        decisions.conflict_type,
        decisions.conflict_kind,
        decisions.loser_node,
        decisions.loser_change_id,
        decisions.winner_node,
        decisions.winner_change_id,
        case
            when decisions.is_written and changes.operation = 'delete' then null
            when decisions.is_written then changes.new_version
            else decisions.publisher_row.version
        end as publisher_version,
        -- the row whose values are kept with the decision: what stays at the publisher where the
        -- change was rejected, what was overwritten where it won
        case
            when decisions.is_rejected then decisions.publisher_row
            when decisions.conflict_kind is not null then decisions.held_row
        end as kept_row
    from changes
    inner join decisions
        on
            changes.publication = decisions.publication
            and changes.change_id = decisions.change_id
    inner join articles
        on
            changes.publication = articles.publication
            and changes.article = articles.article
),

-- one row per change that beat, or lost against, a version made in this run
kept_of_this_run as (
    select
        decided.publication,
        decided.change_id,
        winners.change_row as kept_values
    from decided
    inner join changes as winners
        on
            decided.publication = winners.publication
            and decided.kept_row.change_id = winners.change_id
    where
        decided.kept_row.is_of_this_run
        and not decided.kept_row.is_deleted
),

-- one row per row that the publisher held when the run began, with its values
held as (
    {% for item in article_list() -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        row_key,
        held_row as held_values
    from (
        {{ held_rows(
            item, held[item.publication ~ '.' ~ item.article], with_values=true
        ) | indent(8) }}
    )
    {% if not loop.last %}union all
    {% endif -%}
    {%- endfor %}
),

-- one row per change that beat, or lost against, a version of an earlier run
kept_of_earlier_runs as (
    select
        decided.publication,
        decided.change_id,
        held.held_values as kept_values
    from decided
    inner join held
        on
            decided.publication = held.publication
            and decided.article = held.article
            and decided.row_key = held.row_key
    where
        not decided.kept_row.is_of_this_run
        and not decided.kept_row.is_deleted
),

kept as (
    select * from kept_of_this_run
    union all
    select * from kept_of_earlier_runs
),

final as (
    select
        decided.publication,
        decided.article,
        decided.row_key,
        decided.change_id,
        decided.node,
        decided.transaction_id,
        decided.transaction_change_count,
        decided.transaction_position,
        decided.queue_position,
        decided.operation,
        decided.changed_at,
        decided.old_version,
        decided.new_version,
        decided.change_row,
        decided.comparison,
        decided.held_version,
        decided.held_node,
        decided.held_change_id,
        kept.kept_values as held_row,
        decided.publisher_version,
        decided.outcome,
        decided.rule,
        case
            when decided.conflict_kind is not null
                then {{ conflict_id(
                    'decided.publication', 'decided.article', 'decided.row_key',
                    'if(decided.is_rejected, decided.new_version, decided.held_version)',
                    'decided.publisher_version', 'decided.change_id'
                ) | indent(16) }}
        end as conflict_id,
        decided.conflict_type,
        decided.conflict_kind,
        decided.conflict_type as reason_code,
        decided.loser_node,
        decided.loser_change_id,
        decided.winner_node,
        decided.winner_change_id,
        decided.is_written,
        decided.policy,
        decided.conflict_logging,
        decided.content_hash,
        decided.run_sequence,
        '{{ invocation_id }}' as run_id,
        cast('{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S") }}' as timestamp) as decided_at
    from decided
    left join kept
        on
            decided.publication = kept.publication
            and decided.change_id = kept.change_id
)

select * from final
