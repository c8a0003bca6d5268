{#- The rows of the records of a group, deleted ones included, as the publisher holds them before the session: one row per group
    and row. A statement. -#}
{% macro record_members(groups, spans) -%}
with

group_tops as (
    select distinct
        publication,
        transaction_key,
        transaction_position,
        group_key,
        record,
        explode(group_tops) as top_key
    from {{ groups }}
)

select
    group_tops.publication,
    group_tops.transaction_key,
    group_tops.group_key,
    spans.article,
    spans.row_key,
    spans.state,
    spans.last_operation
from group_tops
inner join {{ spans }} as spans
    on
        group_tops.publication = spans.publication
        and group_tops.record = spans.record
        and group_tops.top_key = spans.top_key
        and {{ replication_conflicts.is_at('spans', 'group_tops.transaction_position') }}
{%- endmacro %}
