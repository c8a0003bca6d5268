{#- Rows of logical records and when they belonged to which: one row per version of a row, as the
    round assumes them, and per record that it belonged to, as the rows above it changed.
    `top_key` is the key of the record's top row; NULL where the row belongs to none. A row
    further down has one more, without `top_key`, for as long as it was what it was: at any place
    without another one it belonged to none. Deleted rows still lead to their record. A version
    counts for sessions behind `from_place`, up to `until_place` itself; `version_from` is where
    it was made. A statement.

    alone: the relation with the changes of the round, each looked at alone -#}
{% macro record_spans(alone) -%}
with

record_articles as (
    {{- replication_conflicts.record_article_rows() }}
),

-- one row per version of a row: as the run found it, and as each session leaves it
versions as (
    select
        publication,
        article,
        row_key,
        {{ replication_conflicts.place_before_queue() }} as from_place,
        held_state as state,
        last_operation
    from {{ ref('record_rows') }}
    where run_id = '{{ invocation_id }}'
    union all
    select
        publication,
        article,
        row_key,
        {{ replication_conflicts.session_place() }} as from_place,
        proposed_row as state,
        case
            when proposed_row.is_deleted then 'delete'
            when proposed_row.node = run_node then 'update'
            else operation
        end as last_operation
    from (
        select
            *,
            row_number() over (
                partition by publication, transaction_key, article, row_key
                order by queue_position desc, change_id desc
            ) as number_from_end
        from {{ alone }}
        where guess
    )
    where number_from_end = 1
),

-- one row per version of a row that an article of a record has
versions_in_records as (
    {{ replication_conflicts.in_records('versions', 'state.row') | indent(4) }}
),

-- one row per version of a row, and until when it was that
placed as (
    select
        *,
        lead(from_place) over (
            partition by publication, article, row_key
            order by from_place
        ) as until_place
    from versions_in_records
),
{% for depth in range(replication_conflicts.record_depth() + 1) %}
spans_{{ depth }} as (
    select
        placed.publication,
        placed.record,
        placed.article,
        placed.row_key,
        {%- if depth < 2 %}
        placed.from_place,
        placed.until_place,
        placed.{{ 'row_key' if depth == 0 else 'parent_key' }} as top_key,
        {%- else %}
        greatest(placed.from_place, above.from_place) as from_place,
        least(placed.until_place, above.until_place) as until_place,
        above.top_key,
        {%- endif %}
        placed.from_place as version_from,
        placed.state,
        placed.last_operation
    from placed
    {%- if depth > 1 %}
    inner join spans_{{ depth - 1 }} as above
        on
            placed.publication = above.publication
            and placed.parent = above.article
            and placed.parent_key = above.row_key
            and above.top_key is not null
            and (placed.until_place is null or above.from_place < placed.until_place)
            and (above.until_place is null or placed.from_place < above.until_place)
    {%- endif %}
    where placed.depth = {{ depth }}
),
{% endfor %}
further_down as (
    select
        publication,
        record,
        article,
        row_key,
        from_place,
        until_place,
        cast(null as string) as top_key,
        from_place as version_from,
        state,
        last_operation
    from placed
    where depth > 1
)
{% for depth in range(replication_conflicts.record_depth() + 1) %}
select * from spans_{{ depth }}
union all
{%- endfor %}
select * from further_down
{%- endmacro %}
