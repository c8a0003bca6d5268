{#- The other rows of a record that a winning session replaces: as its images say, unless it knows
    the held row and holds the same, and those that it does not hold go, as far as they lie in its
    node's partition. Of a row that it sent in a change or image which was rejected nobody knows
    how it holds it: it stays. One row per group and row. A statement.

    changes: record_changes; members: record_members; verdicts: record_verdicts;
    rejected: rejected_changes -#}
{% macro replaced_rows(changes, members, verdicts, rejected) -%}
with

record_articles as (
    {{- replication_conflicts.record_article_rows() }}
),

-- one row per group that has won
winners as (
    select
        verdicts.publication,
        verdicts.transaction_key,
        verdicts.group_key,
        verdicts.leader_change_id,
        changes.node,
        changes.session_end,
        get_json_object(changes.transaction_key, '$.transaction_id') as transaction_id
    from {{ verdicts }} as verdicts
    inner join {{ changes }} as changes
        on
            verdicts.publication = changes.publication
            and verdicts.leader_change_id = changes.change_id
    where verdicts.is_session_winner
),

-- one row per change
changed as (
    select * from {{ changes }}
    where operation <> 'image'
),

-- one row per row that a session sends as it is, as it sent it last
images as (
    select * from {{ changes }}
    where operation = 'image'
    qualify
        row_number() over (
            partition by publication, transaction_key, article, row_key
            order by queue_position desc, change_id desc
        ) = 1
),

-- one row per such row that the publisher holds otherwise
from_images as (
    select
        images.publication,
        images.transaction_key,
        images.group_key,
        images.article,
        images.row_key,
        if(coalesce(images.held_row.is_deleted, true), 'insert', 'update') as operation,
        images.change_row,
        images.held_row as row_before,
        struct(images.queue_position, images.change_id) as image_place,
        members.row_key is not null as is_member,
        members.last_operation,
        {{ replication_conflicts.unknown_writer(
            'images.lineage', 'images.known_position', 'images.node', 'members.state'
        ) | indent(8) }} as unknown_writer
    from images
    left join {{ members }} as members
        on
            images.publication = members.publication
            and images.transaction_key = members.transaction_key
            and images.article = members.article
            and images.row_key = members.row_key
    where
        coalesce(images.held_row.is_deleted, true)
        or {{ replication_conflicts.rows_differ('images.held_row.row', 'images.change_row') }}
        -- values say nothing, unless the article asks for it: a row that a node has set to what it
        -- was is that node's. What a run itself has brought back is nobody's
        or (
            not images.ignores_equal_values
            and {{ replication_conflicts.unknown_writer(
                'images.lineage', 'images.known_position', 'images.node', 'images.held_row',
                besides='images.run_node'
            ) | indent(12) }} is not null
        )
),

-- one row per row that the publisher holds of a record that a session has
from_members as (
    select
        publication,
        transaction_key,
        group_key,
        article,
        row_key,
        'delete' as operation,
        state.row as change_row,
        state as row_before,
        cast(null as struct<queue_position:bigint,change_id:string>) as image_place,
        true as is_member,
        last_operation,
        state.merge_version.writer as unknown_writer
    from {{ members }}
    where
        is_of_session
        and not state.is_deleted
),

-- one row per group that has won, and row that its session sent in vain; of one whose key cannot
-- be read (NULL) nobody knows which row of its article it is
sent_in_vain as (
    select distinct
        winners.publication,
        winners.transaction_key,
        winners.group_key,
        rejected.article,
        rejected.row_key
    from winners
    inner join {{ rejected }} as rejected
        on
            winners.publication = rejected.publication
            and winners.node = rejected.node
            and winners.transaction_id = rejected.transaction_id
            and not rejected.is_outside_transaction
            -- a later session may have the same name
            and coalesce(rejected.queue_position <= winners.session_end, true)
),

-- one row per row of both kinds: an image counts before what the publisher holds
other_rows as (
    select * from from_images
    union all
    select from_members.*
    from from_members
    left anti join images
        on
            from_members.publication = images.publication
            and from_members.transaction_key = images.transaction_key
            and from_members.article = images.article
            and from_members.row_key = images.row_key
    left anti join sent_in_vain
        on
            from_members.publication = sent_in_vain.publication
            and from_members.transaction_key = sent_in_vain.transaction_key
            and from_members.group_key = sent_in_vain.group_key
            and from_members.article = sent_in_vain.article
            and coalesce(from_members.row_key = sent_in_vain.row_key, true)
),

-- one row per such row of a group that has won, which no change of its session is about
replaced as (
    select
        winners.publication,
        winners.transaction_key,
        winners.group_key,
        winners.leader_change_id,
        winners.node,
        other_rows.article,
        other_rows.row_key,
        other_rows.operation,
        other_rows.change_row,
        other_rows.row_before,
        other_rows.image_place,
        other_rows.last_operation,
        if(other_rows.is_member, other_rows.unknown_writer, null) as unknown_writer
    from winners
    inner join other_rows
        on
            winners.publication = other_rows.publication
            and winners.transaction_key = other_rows.transaction_key
            and winners.group_key = other_rows.group_key
    left anti join changed
        on
            winners.publication = changed.publication
            and winners.transaction_key = changed.transaction_key
            and other_rows.article = changed.article
            and other_rows.row_key = changed.row_key
)

select
    replaced.publication,
    replaced.transaction_key,
    replaced.group_key,
    replaced.leader_change_id,
    replaced.article,
    replaced.row_key,
    replaced.operation,
    replaced.change_row,
    replaced.row_before,
    replaced.image_place,
    replaced.last_operation,
    replaced.unknown_writer,
    record_articles.record_columns
from (
    select
        *,
        {{ replication_conflicts.partition_members('row_before.row') | indent(8) }} as partitions
    from replaced
) as replaced
inner join record_articles
    on
        replaced.publication = record_articles.publication
        and replaced.article = record_articles.article
where
    replaced.operation <> 'delete'
    or record_articles.filtered_subscribers is null
    or not array_contains(record_articles.filtered_subscribers, replaced.node)
    or array_contains(replaced.partitions, replaced.node)
{%- endmacro %}
