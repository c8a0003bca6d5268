{{ config(materialized='ephemeral') }}

-- One row per conflict: the row that lost, NULL where a delete did, and the row that the decision
-- left at the publisher, NULL where it left none; with all columns that the article has now.

with

outcomes as (
    select
        publication,
        article,
        conflict_id,
        {{ lost_row() }} as lost_row,
        {{ winning_row() }} as winning_row
    from {{ ref('change_outcomes') }}
    where conflict_id is not null
),

articles as (select * from {{ ref('configured_articles') }}),

-- what is configured no more keeps the columns that it had
final as (
    select
        outcomes.conflict_id,
        {{ whole_row('outcomes.lost_row', 'articles.column_names') | indent(8) }} as lost_row,
        {{ whole_row('outcomes.winning_row', 'articles.column_names') | indent(8) }} as winning_row
    from outcomes
    left join articles
        on
            outcomes.publication = articles.publication
            and outcomes.article = articles.article
)

select * from final
