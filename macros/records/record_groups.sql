{#- Which changes and images of a session are decided together: one row per change or image of a row
    that belongs to a logical record, before its session or in it. A row that moves between records
    joins them: all changes of a row are of one group. `group_tops` are the keys of the top rows.
    Rows above are taken as the publisher held, or holds, them before the session; those that it
    never held as the session has them. The record that a node has taken a row out of, by what the
    change says of its parent before, is the one that the node had, wherever the publisher has
    that. A statement.

    alone: the relation with the changes of the round; spans: record_spans -#}
{% macro record_groups(alone, spans) -%}
with

record_articles as (
    {{- replication_conflicts.record_article_rows() }}
),

spans as (select * from {{ spans }}),

-- one row per change and image, with the row as the publisher held it before the session
brought as (
    select
        *,
        {{ replication_conflicts.session_place() }} as place,
        first_value(held_row) over (
            partition by publication, transaction_key, article, row_key
            order by queue_position, change_id
        ) as row_before
    from {{ alone }}
    where
        not is_run_row
        -- a decision of a person is about one row
        and intervention is null
),

-- one row per change and side of it: its row after it, as the session sends it, and before it, as
-- the publisher held it, and as its node had it (is_left), if that says where it belonged
rows_of_changes as (
    select
        publication,
        transaction_key,
        place,
        queue_position,
        change_id,
        article,
        row_key,
        operation = 'image' as is_image,
        inline(array(
            struct(
                true as is_sent,
                false as is_left,
                false as is_known,
                if(operation = 'delete', null, change_row) as version_row
            ),
            struct(
                false as is_sent,
                true as is_left,
                true as is_known,
                {{ replication_conflicts.left_row() | indent(16) }} as version_row
            ),
            struct(
                false as is_sent,
                false as is_left,
                {{ replication_conflicts.knows_row(
                    'lineage', 'known_position', 'node', 'row_before'
                ) | indent(16) }} as is_known,
                row_before.row as version_row
            )
        ))
    from brought
),

-- one row per such row that belongs to a record
rows_in_records as (
    {{ replication_conflicts.in_records('rows_of_changes', 'version_row') | indent(4) }}
    where keyed.version_row is not null
),

-- one row per row that the publisher holds or held, with the place from which on it did
first_held as (
    select
        publication,
        article,
        row_key,
        min(version_from) as held_from
    from spans
    group by publication, article, row_key
),
{% for depth in range(replication_conflicts.record_depth() + 1) %}
tops_{{ depth }} as (
    select
        rows_in_records.*,
        {%- if depth < 2 %}
        rows_in_records.{{ 'row_key' if depth == 0 else 'parent_key' }} as top_key,
        rows_in_records.{{ 'row_key' if depth == 0 else 'parent_key' }} as session_top_key,
        rows_in_records.{{ 'row_key' if depth == 0 else 'parent_key' }} as left_top_key
        {%- else %}
        case
            when rows_in_records.is_left
                then if(named.row_key is null, above.top_key, named.left_top_key)
            when first_held.held_from < rows_in_records.place then above.top_key
            else named.top_key
        end as top_key,
        if(
            coalesce(named.is_sent, false), named.session_top_key, above.top_key
        ) as session_top_key,
        if(named.row_key is null, above.top_key, named.left_top_key) as left_top_key
        {%- endif %}
    from rows_in_records
    {%- if depth > 1 %}
    left join first_held
        on
            rows_in_records.publication = first_held.publication
            and rows_in_records.parent = first_held.article
            and rows_in_records.parent_key = first_held.row_key
    left join spans as above
        on
            rows_in_records.publication = above.publication
            and rows_in_records.parent = above.article
            and rows_in_records.parent_key = above.row_key
            and above.top_key is not null
            and {{ replication_conflicts.span_covers('above', 'rows_in_records.place') }}
    left join named_{{ depth - 1 }} as named
        on
            rows_in_records.publication = named.publication
            and rows_in_records.transaction_key = named.transaction_key
            and rows_in_records.parent = named.article
            and rows_in_records.parent_key = named.row_key
    {%- endif %}
    where rows_in_records.depth = {{ depth }}
),
{% if 0 < depth < replication_conflicts.record_depth() %}
-- one row per row of that depth that a session has, or had: where it is, and was
named_{{ depth }} as (
    select
        publication,
        transaction_key,
        article,
        row_key,
        max(is_sent) as is_sent,
        max_by(top_key, struct(queue_position, change_id)) filter (where is_sent) as top_key,
        max_by(
            session_top_key, struct(queue_position, change_id)
        ) filter (where is_sent) as session_top_key,
        max_by(
            left_top_key,
            struct(is_left, if(is_left, -queue_position, queue_position) as place, change_id)
        ) as left_top_key
    from tops_{{ depth }}
    where
        is_sent
        or is_left
    group by publication, transaction_key, article, row_key
),
{% endif -%}
{% endfor %}
-- one row per change: the records of its row
topped as (
    select distinct
        publication,
        transaction_key,
        place,
        change_id,
        record,
        is_detected_whole,
        is_resolved_whole,
        article,
        row_key,
        depth,
        -- where others have moved the row above it out of every record, the session still has it
        array_sort(array_union(held_tops, session_tops)) as tops,
        session_tops,
        if(size(named_tops) > 0, named_tops, session_tops) as earlier_tops,
        array_union(known_tops, session_tops) as left_tops,
        is_row_changed
    from (
        select
            *,
            array_sort(collect_set(top_key) over of_row) as held_tops,
            array_sort(collect_set(if(is_left, top_key, null)) over of_row) as named_tops,
            max(not is_image) over of_row as is_row_changed,
            -- a deleted row is in no record of the session, but for a top row, which is its own
            array_sort(
                collect_set(if(is_sent or depth = 0, session_top_key, null)) over of_row
            ) as session_tops,
            -- what a node deletes, or moves, it takes out of the record that it has: that which it
            -- names, and that in which the row is held, if it knows the row that is held
            collect_set(if(is_known, top_key, null)) over of_row as known_tops
        from (
            {%- for depth in range(replication_conflicts.record_depth() + 1) %}
            select * from tops_{{ depth }}
            {%- if not loop.last %}
            union all
            {%- endif %}
            {%- endfor %}
        )
        window of_row as (partition by publication, transaction_key, article, row_key)
    )
    where
        size(held_tops) > 0
        or size(session_tops) > 0
),

-- one row per session and record that a row of it lies in
entered as (
    select distinct
        publication,
        transaction_key,
        place,
        record,
        explode(session_tops) as top_key
    from topped
),

-- one row per session that has such records: it names their top rows, or there are none. Any other
-- record is one that it does not hold, or does not know of
own_records as (
    select
        entered.publication,
        entered.transaction_key,
        entered.record,
        collect_set(entered.top_key) as own_tops
    from entered
    left join topped as named_tops
        on
            named_tops.depth = 0
            and entered.publication = named_tops.publication
            and entered.transaction_key = named_tops.transaction_key
            and entered.record = named_tops.record
            and entered.top_key = named_tops.row_key
    left join spans as held_tops
        on
            entered.publication = held_tops.publication
            and entered.record = held_tops.article
            and entered.top_key = held_tops.row_key
            and not held_tops.state.is_deleted
            and {{ replication_conflicts.span_covers('held_tops', 'entered.place') }}
    where
        named_tops.row_key is not null
        or held_tops.row_key is null
    group by entered.publication, entered.transaction_key, entered.record
),

-- one row per change: the records of its session between which rows move, as sets
joined as (
    select
        *,
        aggregate(
            collect_list(if(size(tops) > 1, tops, null)) over (
                partition by publication, transaction_key, record
            ),
            cast(array() as array<array<string>>),
            (found, one) -> concat(
                filter(found, other -> not arrays_overlap(other, one)),
                array(array_distinct(concat(
                    one, flatten(filter(found, other -> arrays_overlap(other, one)))
                )))
            )
        ) as sets
    from topped
),

-- one row per change: all records that are decided together with its own
grouped as (
    select
        * except (sets),
        array_sort(coalesce(
            get(filter(sets, one -> array_contains(one, get(tops, 0))), 0), tops
        )) as group_tops
    from joined
),

final as (
    select
        grouped.publication,
        grouped.transaction_key,
        grouped.place,
        grouped.change_id,
        grouped.article,
        grouped.row_key,
        grouped.record,
        grouped.is_detected_whole,
        grouped.is_resolved_whole,
        grouped.group_tops,
        to_json(struct(grouped.record, array_min(grouped.group_tops) as top_key)) as group_key,
        array_intersect(
            grouped.group_tops, coalesce(own_records.own_tops, array())
        ) as session_tops,
        array_sort(array_distinct(flatten(collect_list(grouped.left_tops) over (
            partition by
                grouped.publication,
                grouped.transaction_key,
                grouped.record,
                array_min(grouped.group_tops)
        )))) as left_tops,
        grouped.tops as change_tops,
        grouped.earlier_tops,
        grouped.is_row_changed
    from grouped
    left join own_records
        on
            grouped.publication = own_records.publication
            and grouped.transaction_key = own_records.transaction_key
            and grouped.record = own_records.record
)

select * from final
{%- endmacro %}
