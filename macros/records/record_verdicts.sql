{#- The changes of sessions that are decided as records, one row per change: `is_settled` where the publisher has it already, and it
    takes no part. A statement. -#}
{% macro record_changes(alone, groups) -%}
select
    alone.*,
    groups.record,
    groups.group_key,
    groups.is_detected_whole,
    groups.is_resolved_whole,
    coalesce(
        alone.comparison = 'ancestor' or (alone.operation = 'delete' and not alone.is_row_held), false
    ) as is_settled
from {{ alone }} as alone
inner join {{ groups }} as groups
    on
        alone.publication = groups.publication
        and alone.change_id = groups.change_id
where not alone.is_run_row
{%- endmacro %}


{#- The rows of the publisher's record that a group of changes is in conflict with, one row per group and row, each with the writer
    that stands for it. Detection by record: every member that a change of the group does not know, but for a deleted one that the
    group deletes as well. Detection by row: rows that are in conflict by themselves. A statement.

    changes: record_changes; members: record_members -#}
{% macro record_opponents(changes, members) -%}
with

-- one row per group: what its changes know beside their node's own versions, and what they delete
known as (
    select
        publication,
        transaction_key,
        group_key,
        node,
        collect_set(
            if(is_settled, null, struct(
                array_sort(
                    filter(map_entries(lineage), entry -> entry.key <> node)
                ) as entries,
                known_position
            ))
        ) as knowledge,
        collect_set(if(operation = 'delete', struct(article, row_key), null)) as deleted_rows
    from {{ changes }}
    where operation <> 'image'
    group by publication, transaction_key, group_key, node, is_detected_whole
    having is_detected_whole
),

unknown as (
    select
        members.publication,
        members.transaction_key,
        members.group_key,
        members.article,
        members.row_key,
        members.state.merge_version.writer as writer,
        members.state.is_deleted,
        members.last_operation
    from {{ members }} as members
    inner join known
        on
            members.publication = known.publication
            and members.transaction_key = known.transaction_key
            and members.group_key = known.group_key
    where
        exists(
            known.knowledge,
            one -> not ({{ replication_conflicts.knows_row(
                'map_from_entries(one.entries)', 'one.known_position', 'known.node', 'members.state'
            ) }})
        )
        and not (
            members.state.is_deleted
            and array_contains(known.deleted_rows, struct(members.article, members.row_key))
        )
),

contended as (
    select
        publication,
        transaction_key,
        group_key,
        article,
        row_key,
        defender as writer,
        held_row.is_deleted,
        'update' as last_operation
    from {{ changes }}
    where
        is_resolved_whole
        and not is_detected_whole
        and operation <> 'image'
        and not is_settled
        and kind_met is not null
        -- an insert of a key that is taken is a failed change
        and (is_publisher_change or kind_met <> 'insert_insert')
    qualify
        row_number() over (
            partition by publication, transaction_key, article, row_key
            order by queue_position
        ) = 1
)

select * from unknown
union all
select * from contended
{%- endmacro %}


{#- Who wins, one row per group of changes that decides together: `is_session_winner`, NULL where nothing is in conflict; the strongest
    of the opponents; the session's leading change, the first in conflict, else the first; and what both sides did. A statement.

    changes: record_changes; members: record_members; opponents: record_opponents -#}
{% macro record_verdicts(changes, members, opponents) -%}
with

sides as (
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

numbers as (
    select
        publication,
        transaction_key,
        group_key,
        collect_list(state.lineage) as lineages
    from {{ members }}
    group by publication, transaction_key, group_key
),

active as (
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

sessions as (
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
    from active
    group by publication, transaction_key, group_key, is_detected_whole, run_node, is_publisher_change
)

select
    sessions.publication,
    sessions.transaction_key,
    sessions.group_key,
    sessions.is_detected_whole,
    sessions.leader_change_id,
    sessions.are_changes_deletes,
    sessions.are_changes_inserts,
    sides.record_defender,
    sides.are_opponents_deletes,
    sides.are_opponents_inserts,
    if(
        sides.record_defender is null,
        null,
        sessions.is_publisher_change or sessions.record_priority > sides.record_defender.priority
    ) as is_session_winner,
    -- where conflicts are found by record, the run's own versions are counted for the record
    if(
        sessions.is_detected_whole,
        coalesce(array_max(transform(numbers.lineages, lineage -> lineage[sessions.run_node])), 0),
        0
    ) as taken_number
from sessions
left join sides
    on
        sessions.publication = sides.publication
        and sessions.transaction_key = sides.transaction_key
        and sessions.group_key = sides.group_key
left join numbers
    on
        sessions.publication = numbers.publication
        and sessions.transaction_key = numbers.transaction_key
        and sessions.group_key = numbers.group_key
{%- endmacro %}
