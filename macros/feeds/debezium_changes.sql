{#- A feed from Debezium's envelopes: columns op, before, after, source, ts_ms (and transaction). See docs/feed_contract.md.

    relation: one row per message.  node, queue_position, transaction_id, transaction_change_count, change_id: SQL
    expressions over it; change_id names a message the same way whenever it is delivered.  timestamp_unit: of the
    fields that are counts. -#}
{% macro debezium_changes(
    publication,
    article,
    relation,
    node,
    queue_position,
    transaction_id='transaction.id',
    transaction_change_count='null',
    change_id='sha2(to_json(struct(source, op, before, after)), 256)',
    timestamp_unit='micros'
) -%}
{%- set columns = replication_conflicts.article_options(publication, article).columns -%}
with

messages as (select * from {{ relation }}),

-- a tombstone of Kafka, and a message that is about no row, are no changes
changes as (
    select
        {{ change_id }} as change_id,
        {{ queue_position }} as queue_position,
        {{ node }} as node,
        {{ transaction_id }} as transaction_id,
        {{ transaction_change_count }} as transaction_change_count,
        -- what is none of these is not known to the contract, and is rejected there
        case op when 'c' then 'insert' when 'r' then 'insert' when 'u' then 'update' when 'd' then 'delete' else op end
            as operation,
        timestamp_millis(ts_ms) as changed_at,
        before is not null as has_before,
        after is not null as has_after,
        {%- for column, data_type in columns.items() %}
        {%- set number = loop.index %}
        {%- set is_last = loop.last %}
        {%- for image in ('before', 'after') %}
        {{ replication_conflicts.image_value(image ~ '.' ~ adapter.quote(column), data_type, timestamp_unit) | indent(8) }}
            as {{ image }}_{{ number }}
        {%- if not (is_last and loop.last) -%},{%- endif -%}
        {%- endfor %}
        {%- endfor %}
    from messages
    where op is not null and op <> 'm'
)

{{ replication_conflicts.changes_of_images(publication, article, 'changes') }}
{%- endmacro %}
