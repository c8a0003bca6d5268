{#- The rows of the publisher's record that a group of changes is in conflict with, one row per
    group and row, each with the writer that stands for it. Detection by record: every member that a
    change about its record does not know, but for a deleted one that the group deletes as well;
    rows of the initial snapshot are known to every node. Detection by row: rows that are in
    conflict by themselves. A statement.

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
                known_position,
                change_tops
            ))
        ) as knowledge,
        collect_set(if(operation = 'delete', struct(article, row_key), null)) as deleted_rows
    from {{ changes }}
    where operation <> 'image'
    group by publication, transaction_key, group_key, node, is_detected_whole
    having is_detected_whole
),

-- one row per group and member of its record that it does not know
unknown_members as (
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
        members.state.merge_version.writer.transaction_position
        <> {{ replication_conflicts.before_queue() }}
        and exists(
            known.knowledge,
            one -> arrays_overlap(one.change_tops, members.row_tops)
            and not {{ replication_conflicts.knows_row(
                'map_from_entries(one.entries)', 'one.known_position', 'known.node', 'members.state'
            ) | indent(12) }}
        )
        and not (
            members.state.is_deleted
            and array_contains(known.deleted_rows, struct(members.article, members.row_key))
        )
),

-- one row per group and row that is in conflict by itself
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
            order by queue_position, change_id
        ) = 1
)

select * from unknown_members
union all
select * from contended
{%- endmacro %}
