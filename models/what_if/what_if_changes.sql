{{ config(materialized='table') }}

{%- set decided_row = whole_row('decided.row_after', 'articles.column_names') %}
{%- set what_if_row = whole_row('judged.row_after', 'articles.column_names') %}

-- One row per change that would have been decided otherwise: what was decided beside what would
-- have been.

with

articles as (select * from {{ ref('configured_articles') }}),

decided as (
    select
        *,
        {{ winning_row() | indent(4) }} as row_after
    from {{ source('decided', 'change_outcomes') }}
    where
        publication = '{{ var("what_if", {}).publication }}'
        and {{ is_decided_change() }}
),

judged as (
    select
        *,
        {{ winning_row() | indent(4) }} as row_after
    from {{ ref('change_outcomes') }}
    where
        publication = '{{ var("what_if", {}).publication }}'
        and {{ is_decided_change() }}
),

compared as (
    select
        decided.publication,
        decided.article,
        decided.row_key,
        decided.change_id,
        decided.node,
        decided.transaction_id,
        decided.transaction_position,
        decided.queue_position,
        decided.operation,
        decided.changed_at,
        decided.outcome as decided_outcome,
        judged.outcome as what_if_outcome,
        decided.rule as decided_rule,
        judged.rule as what_if_rule,
        decided.conflict_kind as decided_conflict_kind,
        judged.conflict_kind as what_if_conflict_kind,
        decided.conflict_type as decided_conflict_type,
        judged.conflict_type as what_if_conflict_type,
        decided.loser_node as decided_loser_node,
        judged.loser_node as what_if_loser_node,
        decided.winner_node as decided_winner_node,
        judged.winner_node as what_if_winner_node,
        decided.publisher_version as decided_version,
        judged.publisher_version as what_if_version,
        {{ decided_row | indent(8) }} as decided_row,
        {{ what_if_row | indent(8) }} as what_if_row,
        filter(
            array(
                if(decided.outcome <> judged.outcome, 'outcome', null),
                if(
                    decided.conflict_kind <=> judged.conflict_kind
                    and decided.conflict_type <=> judged.conflict_type,
                    null,
                    'conflict'
                ),
                if(
                    decided.loser_node <=> judged.loser_node
                    and decided.loser_change_id <=> judged.loser_change_id,
                    null,
                    'loser'
                ),
                if(
                    decided.winner_node <=> judged.winner_node
                    and decided.winner_change_id <=> judged.winner_change_id,
                    null,
                    'winner'
                ),
                if(decided.publisher_version <=> judged.publisher_version, null, 'version'),
                if(
                    to_json({{ decided_row | indent(20) }})
                    <=> to_json({{ what_if_row | indent(20) }}),
                    null,
                    'row'
                )
            ),
            difference -> difference is not null
        ) as differs_in
    from decided
    inner join judged on decided.change_id = judged.change_id
    left join articles
        on
            decided.publication = articles.publication
            and decided.article = articles.article
),

final as (
    select * from compared
    where size(differs_in) > 0
)

select * from final
