{#- Where conflicts are found by record, versions that the run itself makes are counted for the record: who knows the record with
    number n knows every row of it. So a version that a decision of a person, or a command that is undone, makes of a row needs a
    number that neither the record which its row leaves nor the one which it enters has yet. One row per decision about a row of
    such a record: the highest number that is taken there. A statement.

    alone: the changes, each looked at alone; spans: record_spans -#}
{% macro record_numbers(alone, spans) -%}
with

record_articles as (
    {{- replication_conflicts.record_article_rows() }}
),

spans as (select * from {{ spans }}),

-- one row per decision and version of its row, before it and after it
sides as (
    select
        sides.publication,
        sides.change_id,
        sides.run_node,
        sides.place,
        sides.row_key,
        sides.parent_key,
        record_articles.record,
        record_articles.depth,
        record_articles.parent
    from (
        select
            *,
            {{ replication_conflicts.record_parent_key('side.row') | indent(12) }} as parent_key
        from (
            select
                *,
                {{ replication_conflicts.session_place() }} as place,
                explode(array(
                    struct(held_row.row as row),
                    struct(
                        if(
                            operation = 'delete',
                            null,
                            coalesce(
                                {{ replication_conflicts.overlaid_row('held_row.row', 'change_row') | indent(32) }},
                                change_row
                            )
                        ) as row
                    )
                )) as side
            from {{ alone }}
            where intervention is not null
        )
        where side.row is not null
    ) as sides
    inner join record_articles
        on
            sides.publication = record_articles.publication
            and sides.article = record_articles.article
    where record_articles.is_detected_whole
),

-- one row per such version, with the top row of its record
topped as (
    select
        sides.*,
        case sides.depth
            when 0 then sides.row_key
            when 1 then sides.parent_key
            else above.top_key
        end as top_key
    from sides
    left join spans as above
        on
            sides.depth > 1
            and sides.publication = above.publication
            and sides.parent = above.article
            and sides.parent_key = above.row_key
            and above.top_key is not null
            and {{ replication_conflicts.is_at('above', 'sides.place') }}
)

select
    topped.publication,
    topped.change_id,
    max(spans.state.lineage[topped.run_node]) as taken_number
from topped
inner join spans
    on
        topped.publication = spans.publication
        and topped.record = spans.record
        and topped.top_key = spans.top_key
        and {{ replication_conflicts.is_at('spans', 'topped.place') }}
group by topped.publication, topped.change_id
{%- endmacro %}
