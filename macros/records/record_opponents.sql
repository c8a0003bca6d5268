{#- The rows of the publisher's record that a group of changes is in conflict with, one row per
    group and row, each with the writer that stands for it. Detection by record: every member that a
    change about its record does not know, or the session's image of it (which may have been there
    for longer than what the change knows), but for a deleted one that the group deletes as well;
    rows of the initial snapshot are known to every node. Rows of no record make no conflict, but
    count where there is one, if an image would replace them and does not know them. Detection by
    row: rows that are in conflict by themselves. A statement.

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

-- one row per group and member that an image of its session does not know
unaware_images as (
    select
        images.publication,
        images.transaction_key,
        images.group_key,
        images.article,
        images.row_key,
        max(
            members.state.is_deleted
            or {{ replication_conflicts.rows_differ(
                'members.state.row', 'images.change_row'
            ) | indent(12) }}
        ) as is_other
    from {{ changes }} as images
    inner join {{ members }} as members
        on
            images.publication = members.publication
            and images.transaction_key = members.transaction_key
            and images.group_key = members.group_key
            and images.article = members.article
            and images.row_key = members.row_key
    where
        images.operation = 'image'
        and not {{ replication_conflicts.knows_row(
            'images.lineage', 'images.known_position', 'images.node', 'members.state'
        ) | indent(8) }}
    group by
        images.publication,
        images.transaction_key,
        images.group_key,
        images.article,
        images.row_key
),

-- one row per group and member that a change has made, with what an image of its session says
made_members as (
    select
        members.publication,
        members.transaction_key,
        members.group_key,
        members.article,
        members.row_key,
        members.row_tops,
        members.state,
        members.state.merge_version.writer as writer,
        members.state.is_deleted,
        members.last_operation,
        unaware_images.row_key is not null as is_image_unaware,
        coalesce(unaware_images.is_other, false) as is_image_other
    from {{ members }} as members
    left join unaware_images
        on
            members.publication = unaware_images.publication
            and members.transaction_key = unaware_images.transaction_key
            and members.group_key = unaware_images.group_key
            and members.article = unaware_images.article
            and members.row_key = unaware_images.row_key
    where
        members.state.merge_version.writer.transaction_position
        <> {{ replication_conflicts.before_queue() }}
),

-- one row per group and member of its record that it does not know
unknown_members as (
    select made_members.*
    from made_members
    inner join known
        on
            made_members.publication = known.publication
            and made_members.transaction_key = known.transaction_key
            and made_members.group_key = known.group_key
    where
        exists(
            known.knowledge,
            one -> arrays_overlap(one.change_tops, made_members.row_tops)
            and (
                made_members.is_image_unaware
                or not {{ replication_conflicts.knows_row(
                    'map_from_entries(one.entries)', 'one.known_position', 'known.node',
                    'made_members.state'
                ) | indent(16) }}
            )
        )
        and not (
            made_members.is_deleted
            and array_contains(
                known.deleted_rows, struct(made_members.article, made_members.row_key)
            )
        )
),

-- one row per group in conflict and row of no record that an image of it would replace
replaced_without_record as (
    select made_members.*
    from made_members
    left semi join unknown_members
        on
            made_members.publication = unknown_members.publication
            and made_members.transaction_key = unknown_members.transaction_key
            and made_members.group_key = unknown_members.group_key
    where
        made_members.is_image_other
        and size(made_members.row_tops) = 0
),

-- one row per group and member that stands against it by record
of_records as (
    select * from unknown_members
    union all
    select * from replaced_without_record
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

select
    publication,
    transaction_key,
    group_key,
    article,
    row_key,
    writer,
    is_deleted,
    last_operation
from of_records
union all
select * from contended
{%- endmacro %}
