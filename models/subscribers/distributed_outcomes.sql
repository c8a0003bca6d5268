{{ config(materialized='kept_view') }}

-- The decision log as the commands to subscribers are made from it. One row per row of the log,
-- with what its article's configuration asks for: whether the change goes to all, is undone at its
-- node, or waits there, and in whose partitions its row lies.

with

outcomes as (select * from {{ ref('change_outcomes') }}),

articles as (select * from {{ ref('configured_articles') }}),

publications as (select * from {{ ref('configured_publications') }}),

subscriptions as (select * from {{ ref('subscriptions') }}),

-- one row per publication
subscribers as (
    select
        publication,
        array_sort(collect_list(subscriber)) as subscribers
    from subscriptions
    group by publication
),

-- one row per decision, with the configuration of its article
configured as (
    select
        outcomes.*,
        articles.primary_key,
        articles.column_names,
        articles.depth,
        articles.compensate_for_errors,
        articles.filtered_subscribers,
        articles.is_downloaded,
        publications.publisher,
        subscribers.subscribers
    from outcomes
    inner join articles
        on
            outcomes.publication = articles.publication
            and outcomes.article = articles.article
    inner join publications on outcomes.publication = publications.publication
    left join subscribers on outcomes.publication = subscribers.publication
),

-- one row per decision: what it is, and both rows of its conflict
judged as (
    select
        *,
        {{ is_decision() }} as is_decision,
        {{ is_refused_command() }} as is_refused_command,
        {{ is_submitted_at_node() | indent(8) }} as is_submitted_at_node,
        {{ winning_row() }} as winning_row,
        {{ lost_row() }} as lost_row
    from configured
),

-- one row per decision: the node that gets the row back
addressed as (
    select
        *,
        if(is_submitted_at_node, loser_node, node) as compensated_node
    from judged
),

-- one row per decision: the version that its node gets where it is undone there
compensated as (
    select
        *,
        if(
            {{ is_inside_partition('partitions_after', 'compensated_node') | indent(12) }},
            publisher_version,
            null
        ) as compensated_version
    from addressed
),

final as (
    select
        publication,
        article,
        row_key,
        {{ key_values('change_row', 'primary_key') }} as key_values,
        depth,
        change_id,
        node,
        transaction_id,
        transaction_position,
        queue_position,
        operation,
        new_version,
        held_version,
        publisher_version,
        publisher_lineage,
        {{ whole_row('winning_row', 'column_names') | indent(8) }} as publisher_row,
        is_written
        and (held_version is not null or publisher_version is not null) as is_replicated,
        if(is_downloaded and filtered_subscribers is null, null, publisher) as replicated_to,
        case
            when is_decision then publisher
            when is_refused_command then loser_node
            else node
        end as replicated_origin,
        if(
            is_written and is_downloaded and filtered_subscribers is not null,
            transform(
                subscribers,
                subscriber -> struct(
                    subscriber,
                    {{ is_inside_partition('partitions_before', 'subscriber') | indent(20) }}
                        as is_inside_before,
                    {{ is_inside_partition('partitions_after', 'subscriber') | indent(20) }}
                        as is_inside_after
                )
            ),
            null
        ) as subscriber_partitions,
        (is_submitted_at_node or {{ is_undone('compensated_version') | indent(8) }})
        and (new_version is not null or compensated_version is not null) as is_compensated,
        compensated_node,
        compensated_version,
        case
            when is_decision then publisher
            -- what falls with its transaction has met nobody: the row is brought of whoever made it
            when replication = 'queued' and conflict_kind = 'condemned'
                then coalesce(held_node, publisher)
            else coalesce(winner_node, held_node, publisher)
        end as compensated_origin,
        {{ is_kept_by_node() | indent(8) }} and not is_refused_command as is_not_applied,
        conflict_id is not null
        and conflict_logging in ('subscriber', 'both')
        and loser_node <> publisher as is_logged_at_loser,
        conflict_id,
        loser_node,
        winner_node,
        {{ whole_row('lost_row', 'column_names') | indent(8) }} as lost_row,
        is_refused_command,
        outcome is null as is_written_for_change,
        operation = 'insert'
        and coalesce(outcome in ('failed', 'rejected'), false) as is_unpublished_insert,
        run_sequence
    from compensated
)

select * from final
