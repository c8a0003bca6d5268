{#- One row per transaction and row: the last change that the transaction would make to the row,
    with what the row says about keys (key_facts) after it, and before the first change that the
    transaction would make to it. A statement.
    Rule: keys are judged at the end of a transaction, so what it gives up is what the row had
    before all of it.

    A row that the run itself writes was made by the change that had it written.

    decided: the relation with the changes as this round decides them; replication: that of its
    publications; row_after: its column with the row as a change leaves it, row_before: its column
    with the row_state before -#}
{% macro row_makers(decided, replication, row_after, row_before) -%}
select
    publication,
    transaction_key,
    transaction_position,
    session_end,
    struct(
        queue_position,
        {{ replication_conflicts.causing_change(replication) }} as change_id
    ) as maker,
    article,
    row_key,
    is_publisher_change,
    {{ replication_conflicts.key_facts(
        "if(operation = 'delete', null, " ~ row_after ~ ')', replication
    ) | indent(4) }} as facts_after,
    {{ replication_conflicts.key_facts(
        'if(row_before_all.is_deleted, null, row_before_all.row)', replication
    ) | indent(4) }} as facts_before
from (
    select
        *,
        row_number() over (
            partition by publication, transaction_key, article, row_key
            order by queue_position desc, change_id desc
        ) as number_from_end,
        -- NULL where there was no row
        first_value({{ row_before }}) over (
            partition by publication, transaction_key, article, row_key
            order by queue_position, change_id
            rows between unbounded preceding and unbounded following
        ) as row_before_all
    from {{ decided }}
    where would_apply
)
where number_from_end = 1
{%- endmacro %}
