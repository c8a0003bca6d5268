{#- Who wins, one row per group of changes that decides together: `is_session_winner`, NULL where
    nothing is in conflict; the strongest of the opponents; the session's leading change, the first
    in conflict, else the first; and what both sides did. A statement.

    changes: record_changes; members: record_members; opponents: record_opponents -#}
{% macro record_verdicts(changes, members, opponents) -%}
with

-- one row per group with opponents: the strongest, and what they did
opponent_sides as (
    select
        publication,
        transaction_key,
        group_key,
        max(writer) as record_defender,
        min(is_deleted or last_operation = 'delete') as are_opponents_deletes,
        min(not is_deleted and last_operation = 'insert') as are_opponents_inserts
    from {{ opponents }}
    group by publication, transaction_key, group_key
),

-- one row per group: the lineages of its record
record_lineages as (
    select
        publication,
        transaction_key,
        group_key,
        collect_list(state.lineage) as lineages
    from {{ members }}
    group by publication, transaction_key, group_key
),

-- one row per change that takes part in the decision
active_changes as (
    select
        changes.*,
        opponents.row_key is null as is_without_opponent
    from {{ changes }} as changes
    left join {{ opponents }} as opponents
        on
            changes.publication = opponents.publication
            and changes.transaction_key = opponents.transaction_key
            and changes.group_key = opponents.group_key
            and changes.article = opponents.article
            and changes.row_key = opponents.row_key
    where
        changes.operation <> 'image'
        and not changes.is_settled
),

-- one row per group: the session's side
session_sides as (
    select
        publication,
        transaction_key,
        group_key,
        is_detected_whole,
        run_node,
        is_publisher_change,
        max(contending_priority) as record_priority,
        min(operation = 'delete') as are_changes_deletes,
        min(operation = 'insert') as are_changes_inserts,
        min(struct(is_without_opponent, queue_position, change_id)).change_id as leader_change_id
    from active_changes
    group by
        publication, transaction_key, group_key, is_detected_whole, run_node, is_publisher_change
)

select
    session_sides.publication,
    session_sides.transaction_key,
    session_sides.group_key,
    session_sides.leader_change_id,
    session_sides.are_changes_deletes,
    session_sides.are_changes_inserts,
    opponent_sides.record_defender,
    opponent_sides.are_opponents_deletes,
    opponent_sides.are_opponents_inserts,
    if(
        opponent_sides.record_defender is null,
        null,
        session_sides.is_publisher_change
        or session_sides.record_priority > opponent_sides.record_defender.priority
    ) as is_session_winner,
    -- where conflicts are found by record, the run's own versions are counted for the record
    if(
        session_sides.is_detected_whole,
        coalesce(
            array_max(transform(
                record_lineages.lineages, lineage -> lineage[session_sides.run_node]
            )),
            0
        ),
        0
    ) as taken_number
from session_sides
left join opponent_sides
    on
        session_sides.publication = opponent_sides.publication
        and session_sides.transaction_key = opponent_sides.transaction_key
        and session_sides.group_key = opponent_sides.group_key
left join record_lineages
    on
        session_sides.publication = record_lineages.publication
        and session_sides.transaction_key = record_lineages.transaction_key
        and session_sides.group_key = record_lineages.group_key
{%- endmacro %}
