{#- One row per transaction and row: the last change that the transaction would make to the row, with what the row says about keys
    (key_facts) after it and before it. A statement.

    decided: the relation with the changes as this round decides them -#}
{% macro row_makers(decided) -%}
select
    publication,
    transaction_key,
    transaction_position,
    queue_position,
    article,
    row_key,
    is_publisher_change,
    {{ replication_conflicts.key_facts("if(operation = 'delete', null, row_after)") | indent(4) }} as facts_after,
    {{ replication_conflicts.key_facts('if(publisher_row.is_deleted, null, publisher_row.row)') | indent(4) }} as facts_before
from (
    select
        *,
        row_number() over (
            partition by publication, transaction_key, article, row_key
            order by queue_position desc
        ) as place_from_end
    from {{ decided }}
    where would_apply
)
where place_from_end = 1
{%- endmacro %}
