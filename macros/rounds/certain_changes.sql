{#- Which changes of a round are certain: no other decision can change the one about them. As CTEs
    up to `certain`, the round with where each change stands (place, settled_position) and
    is_certain_now. So changes that fail for reasons of their own fail in one round, and not one
    behind the other.

    What stands in the settled part of the queue is certain, and so is what an earlier round has
    found certain. All other changes are open. An open change becomes certain when no other open
    change, up to the end of its session, can touch what it depends on:
      its row;
      if a subscriber has made it, rows that may have the other end of a foreign key, or the same
      unique key, as its row may have. Its children count only where it may give up a key: a row
      that is new takes nothing from them.
    What keys a row may have is known beforehand: those in its changes, and in the row that the run
    found. Where this is not so, no change becomes certain: where the run may put a key together
    (composed_keys), in a publication with logical records, in which one failure takes other rows
    with it, and behind an open decision of a person.
    Rule: a decision depends on earlier ones of its row, and, for keys, on the rows that hold them
    at the end of its session.

    round: a relation with what a round has decided; settled_positions: the CTE of that
    name, by session_place -#}
{% macro certain_changes(round, settled_positions) -%}
{%- set composed_keys = replication_conflicts.composed_keys() -%}
{%- set composed = [] -%}
{%- for item in replication_conflicts.article_list('merge') -%}
    {%- for side in replication_conflicts.key_sides(item)
        if (item.publication ~ '.' ~ side.id) in composed_keys
    -%}
        {%- do composed.append(item.publication ~ '.' ~ item.article) -%}
    {%- endfor -%}
{%- endfor -%}
{%- set with_records = replication_conflicts.publications_with_records() -%}
placed as (
    select /*+ broadcast({{ settled_positions }}) */
        {{ round }}.*,
        {{ settled_positions }}.settled_position,
        {{ replication_conflicts.session_place(round) }} as place,
        not {{ round }}.is_certain
        and {{ replication_conflicts.session_place(round) }}
        >= {{ settled_positions }}.settled_position as is_open
    from {{ round }}
    inner join {{ settled_positions }}
        on {{ round }}.publication = {{ settled_positions }}.publication
),

-- one row per change: where its row begins to be open, how many open changes it has up to here, and
-- whether any of its changes may give up a key that it had
opened as (
    select
        *,
        coalesce(not held_before_run.is_deleted, false)
        or count(*) over (partition by publication, article, row_key) > 1 as may_give_up_keys,
        min(if(is_open, place, null)) over (
            partition by publication, article, row_key
        ) as open_from,
        count_if(is_open) over (
            partition by publication, article, row_key
            order by place
        ) as open_changes
    from placed
),

-- one row per row and key that it may have
possible_keys as (
    select distinct
        publication,
        article,
        row_key,
        open_from,
        may_give_up_keys,
        inline(
            array_union(
                {{ replication_conflicts.key_facts('change_row', 'merge') | indent(16) }},
                {{ replication_conflicts.key_facts('held_before_run.row', 'merge') | indent(16) }}
            )
        )
    from opened
),

-- one row per row: where what it depends on begins to be open. A child depends on who may be its
-- parent; a parent that may give up a key on its children, and, as a unique key does, on others
-- that may be in its place
open_around as (
    select
        publication,
        article,
        row_key,
        min(open_from) as open_from
    from (
        select
            publication,
            article,
            row_key,
            case
                when role = 'child' then min(if(role = 'parent', open_from, null)) over of_value
                when role = 'unique' or may_give_up_keys then least(
                    min(if(role = 'child', open_from, null)) over of_value,
                    if(
                        row_number() over of_role = 1,
                        lead(open_from) over of_role,
                        first_value(open_from) over of_role
                    )
                )
            end as open_from
        from possible_keys
        window
            of_value as (partition by publication, constraint_id, value),
            of_role as (
                partition by publication, constraint_id, value, role
                order by open_from asc nulls last, article asc, row_key asc
            )
    )
    group by publication, article, row_key
),

-- one row per publication in which people decide: the first decision that is open
open_interventions as (
    select
        publication,
        min(place) as open_from
    from opened
    where
        is_open
        and intervention is not null
    group by publication
),

certain as (
    select /*+ broadcast(open_interventions) */
        opened.*,
        not opened.is_open
        or (
            opened.open_changes = 1
            and coalesce(opened.place < open_interventions.open_from, true)
            and (opened.is_publisher_change or coalesce(opened.place < open_around.open_from, true))
            and not {{ replication_conflicts.is_one_of(
                "concat(opened.publication, '.', opened.article)", composed
            ) }}
            and not {{ replication_conflicts.is_one_of('opened.publication', with_records) }}
        ) as is_certain_now
    from opened
    left join open_around
        on
            opened.publication = open_around.publication
            and opened.article = open_around.article
            and opened.row_key = open_around.row_key
    left join open_interventions on opened.publication = open_interventions.publication
)
{%- endmacro %}
