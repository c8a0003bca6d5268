{#- Where conflicts are found by record, versions that the run itself makes are counted for the
    record: who knows the record with number n knows every row of it. So a version that a decision
    of a person, or a command that is undone, makes of a row needs a number that neither the record
    which its row leaves nor the one which it enters has yet. One row per decision about a row of
    such a record: the highest number that is taken there. A statement.

    alone: the changes, each looked at alone; spans: record_spans -#}
{% macro record_numbers(alone, spans) -%}
with

record_articles as (
    {{- replication_conflicts.record_article_rows() }}
),

spans as (select * from {{ spans }}),

-- one row per decision and side of it: its row before it and after it
rows_of_decisions as (
    select
        publication,
        change_id,
        run_node,
        {{ replication_conflicts.session_place() }} as place,
        article,
        row_key,
        explode(array(
            held_row.row,
            if(
                operation = 'delete',
                null,
                coalesce(
                    {{ replication_conflicts.overlaid_row(
                        'held_row.row', 'change_row'
                    ) | indent(20) }},
                    change_row
                )
            )
        )) as version_row
    from {{ alone }}
    where intervention is not null
),

-- one row per such row that belongs to a record where conflicts are found by record
rows_in_records as (
    {{ replication_conflicts.in_records('rows_of_decisions', 'version_row') | indent(4) }}
    where
        keyed.version_row is not null
        and record_articles.is_detected_whole
),

-- one row per such row, with the top row of its record
topped as (
    select
        rows_in_records.*,
        case rows_in_records.depth
            when 0 then rows_in_records.row_key
            when 1 then rows_in_records.parent_key
            else above.top_key
        end as top_key
    from rows_in_records
    left join spans as above
        on
            rows_in_records.depth > 1
            and rows_in_records.publication = above.publication
            and rows_in_records.parent = above.article
            and rows_in_records.parent_key = above.row_key
            and above.top_key is not null
            and {{ replication_conflicts.span_covers('above', 'rows_in_records.place') }}
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
        and {{ replication_conflicts.span_covers('spans', 'topped.place') }}
group by topped.publication, topped.change_id
{%- endmacro %}
