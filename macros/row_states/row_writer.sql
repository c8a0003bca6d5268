{#- Merge replication: who wrote a version of a row, or a column of it, as a struct. `priority` is
    what it defends itself with, `transaction_position` the place where its session ended, or behind
    which it was taken, `queue_position` the place of the change itself. Structs of this kind are
    compared by priority first, then by place: the largest of several is the one that answers for
    all of them. -#}
{% macro row_writer(priority, transaction_position, queue_position, node, number, change_id) -%}
    struct(
        cast({{ priority }} as decimal(5,2)) as priority,
        cast({{ transaction_position }} as bigint) as transaction_position,
        cast({{ queue_position }} as bigint) as queue_position,
        cast({{ node }} as string) as node,
        cast({{ number }} as bigint) as number,
        cast({{ change_id }} as string) as change_id
    )
{%- endmacro %}
