{#- The publisher's rows that a group is about, deleted ones included, as it holds them before the
    session: those of the records that the session has or takes rows out of, and what it names
    itself, wherever others have moved it, to another record or out of every one. One row per group
    and row, with its record (row_tops); of what the session names also that in which its node had
    it; none where it belongs to none, and the session does not change it: nobody is in conflict
    with such a row. `is_of_session`: whether its record is one that the session has, or the session
    names it. A statement.

    groups: record_groups; spans: record_spans -#}
{% macro record_members(groups, spans) -%}
with

-- one row per group and record that it is about
group_tops as (
    select distinct
        publication,
        transaction_key,
        place,
        group_key,
        record,
        session_tops,
        left_tops,
        explode(group_tops) as top_key
    from {{ groups }}
),

-- one row per group and row that its session names
named as (
    select distinct
        publication,
        transaction_key,
        place,
        group_key,
        record,
        article,
        row_key,
        change_tops,
        earlier_tops,
        is_row_changed
    from {{ groups }}
)

select
    group_tops.publication,
    group_tops.transaction_key,
    group_tops.group_key,
    spans.article,
    spans.row_key,
    spans.state,
    spans.last_operation,
    array_union(array(spans.top_key), coalesce(named.earlier_tops, array())) as row_tops,
    named.row_key is not null
    or array_contains(group_tops.session_tops, group_tops.top_key) as is_of_session
from group_tops
inner join {{ spans }} as spans
    on
        group_tops.publication = spans.publication
        and group_tops.record = spans.record
        and group_tops.top_key = spans.top_key
        and {{ replication_conflicts.span_covers('spans', 'group_tops.place') }}
left join named
    on
        group_tops.publication = named.publication
        and group_tops.transaction_key = named.transaction_key
        and spans.article = named.article
        and spans.row_key = named.row_key
where
    named.row_key is not null
    or array_contains(group_tops.session_tops, group_tops.top_key)
    or array_contains(group_tops.left_tops, group_tops.top_key)
union all
-- what belongs to no record
select
    named.publication,
    named.transaction_key,
    named.group_key,
    named.article,
    named.row_key,
    any_value(spans.state) as state,
    any_value(spans.last_operation) as last_operation,
    if(named.is_row_changed, named.change_tops, array()) as row_tops,
    true as is_of_session
from named
inner join {{ spans }} as spans
    on
        named.publication = spans.publication
        and named.record = spans.record
        and named.article = spans.article
        and named.row_key = spans.row_key
        and {{ replication_conflicts.span_covers('spans', 'named.place') }}
group by
    named.publication,
    named.transaction_key,
    named.group_key,
    named.article,
    named.row_key,
    named.is_row_changed,
    named.change_tops
having max(spans.top_key) is null
{%- endmacro %}
