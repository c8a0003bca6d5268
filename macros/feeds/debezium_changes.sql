{#- A feed from Debezium's envelopes: columns op, before, after, source, ts_ms (and
    transaction). See docs/feed_contract.md.

    relation: one row per message.  node, queue_position, transaction_id, transaction_change_count,
    change_id: SQL expressions over it; change_id names a message the same way whenever it is
    delivered, none: by its source, operation and images.
    version_column: a field of the images that holds the row's version; none: a hash of the image.
    timestamp_unit: of the fields that are counts; see timestamp_units. -#}
{% macro debezium_changes(
    publication,
    article,
    relation,
    node,
    queue_position,
    transaction_id='transaction.id',
    transaction_change_count='null',
    change_id=none,
    version_column=none,
    timestamp_unit='micros'
) -%}
{%- do replication_conflicts.check_feed_arguments('debezium_changes', publication, article, {
    'relation': relation, 'node': node, 'queue_position': queue_position
}) -%}
{%- set columns = replication_conflicts.article_options(publication, article).columns -%}
{%- set units = replication_conflicts.timestamp_units(columns, timestamp_unit) -%}
{%- set fields = {'before': {}, 'after': {}} -%}
{%- for image in fields -%}
    {%- for column in columns -%}
        {%- do fields[image].update({column: image ~ '.' ~ adapter.quote(column)}) -%}
    {%- endfor -%}
{%- endfor -%}
with

messages as (select * from {{ relation }}),

-- a tombstone of Kafka, and a message that is about no row, are no changes
changes as (
    select
        {%- if change_id %}
        {{ change_id }} as change_id,
        {%- else %}
        -- the version in the source is the connector's: another one may deliver the message again
        sha2(to_json(array(
            '{{ article }}',
            {{ node }},
            to_json(map_filter(
                from_json(to_json(source), 'map<string,string>'),
                (field, value) -> field <> 'version'
            )),
            op, to_json(before), to_json(after)
        )), 256) as change_id,
        {%- endif %}
        {{ queue_position }} as queue_position,
        {{ node }} as node,
        {{ transaction_id }} as transaction_id,
        {{ transaction_change_count }} as transaction_change_count,
        -- what is none of these is not known to the contract, and is rejected there
        case op
            when 'c' then 'insert'
            when 'r' then 'insert'
            when 'u' then 'update'
            when 'd' then 'delete'
            else op
        end as operation,
        -- the database's clock; the other one is the connector's, and differs when a message comes
        -- again
        timestamp_millis(coalesce(source.ts_ms, ts_ms)) as changed_at,
        {%- for image in fields %}
        {{ image }} is not null
        and {{ replication_conflicts.image_fits(fields[image], columns, units) | indent(8) }}
            as has_{{ image }},
        {%- if version_column %}
        {{ replication_conflicts.column_version(
            image ~ '.' ~ adapter.quote(version_column), version_column, columns, units
        ) | indent(8) }} as {{ image }}_version,
        {%- endif %}
        {%- endfor %}
        {%- for column, data_type in columns.items() %}
        {%- set number = loop.index %}
        {%- set is_last = loop.last %}
        {%- for image in fields %}
        {{ replication_conflicts.image_value(
            fields[image][column], data_type, units[column]
        ) | indent(8) }} as {{ image }}_{{ number }}
        {%- if not (is_last and loop.last) -%},{%- endif -%}
        {%- endfor %}
        {%- endfor %}
    from messages
    where op is not null and op <> 'm'
)

{{ replication_conflicts.changes_of_images(publication, article, 'changes', version_column) }}
{%- endmacro %}
