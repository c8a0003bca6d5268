{#- A feed from the rows of an SQL Server change table (cdc.<schema>_<table>_CT), or of
    cdc.fn_cdc_get_all_changes_... with 'all update old': the row before an update (__$operation 3)
    and the one after it (4) become one change; where their keys differ, a delete and an insert.

    relation: those rows.  node, queue_position, changed_at, transaction_change_count: SQL
    expressions over it; the queue position of the row after an update counts.
    version_column: a captured column that holds the row's version; none: a hash of the row.
    timestamp_unit: see timestamp_units. -#}
{% macro sql_server_changes(
    publication,
    article,
    relation,
    node,
    queue_position,
    changed_at='null',
    transaction_change_count='null',
    version_column=none,
    timestamp_unit='micros'
) -%}
{%- do replication_conflicts.check_feed_arguments('sql_server_changes', publication, article, {
    'relation': relation, 'node': node, 'queue_position': queue_position
}) -%}
{%- set options = replication_conflicts.article_options(publication, article) -%}
{%- set columns = options.columns -%}
{%- set units = replication_conflicts.timestamp_units(columns, timestamp_unit) -%}
{%- set keys = replication_conflicts.image_key(options) -%}
with

captured as (select * from {{ relation }}),

typed as (
    select
        {{ replication_conflicts._log_position('`__$start_lsn`') }} as transaction_lsn,
        {{ replication_conflicts._log_position('`__$seqval`') }} as change_lsn,
        cast(`__$operation` as int) as operation_code,
        {{ node }} as node,
        {{ queue_position }} as queue_position,
        {{ transaction_change_count }} as transaction_change_count,
        {{ changed_at }} as changed_at,
        {{ replication_conflicts.typed_image(columns, units, version_column) | indent(8) }}
    from captured
),

-- one row per image: what is delivered again is left out
delivered as (
    {{ replication_conflicts.first_deliveries(
        'typed',
        columns,
        version_column,
        ['node', 'transaction_lsn', 'change_lsn', 'operation_code'],
        'queue_position'
    ) | indent(4) }}
),

-- one row per change and image: beside the row after an update, the one before it
paired as (
    select
        *,
        {{ replication_conflicts.earlier_image(columns, version_column, 'one_row') | indent(8) }},
        coalesce(lag(operation_code) over one_row, 0) as earlier_code,
        coalesce(lead(operation_code) over one_row, 0) as later_code,
        count_if(operation_code = 3) over (
            partition by node, transaction_lsn, change_lsn
        ) as images_before
    from delivered
    window one_row as (
        partition by node, transaction_lsn, change_lsn, {{ keys | join(', ') }}
        order by operation_code
    )
),

-- one row per change: where an update has changed the key, its two images are two changes. Without
-- any image before it, an update stays one, and is rejected
named as (
    select
        *,
        case
            when operation_code in (1, 3) then 'delete'
            when
                operation_code = 2
                or (operation_code = 4 and earlier_code <> 3 and images_before > 0)
                then 'insert'
            when operation_code = 4 then 'update'
            else cast(operation_code as string)
        end as operation
    from paired
    where operation_code <> 3 or later_code <> 4
),

changes as (
    select
        sha2(to_json(array(
            '{{ article }}', node, transaction_lsn, change_lsn, cast(operation_code as string)
            {%- for key in keys %},
            cast({{ key }} as string)
            {%- endfor %}
        )), 256) as change_id,
        queue_position,
        node,
        transaction_lsn as transaction_id,
        transaction_change_count,
        operation,
        changed_at,
        case
            when operation = 'delete' then is_fit
            when operation = 'update' and earlier_code = 3 then is_earlier_fit
            else false
        end as has_before,
        operation in ('insert', 'update') and is_fit as has_after,
        {{ replication_conflicts.image_sides(columns, version_column) | indent(8) }}
    from named
)

{{ replication_conflicts.changes_of_images(publication, article, 'changes', version_column) }}
{%- endmacro %}


{#- A log sequence number as text, from bytes or from a text that SQL Server's tools print
    (0x...). -#}
{% macro _log_position(column) -%}
    replace(
        upper(if(
            typeof({{ column }}) = 'binary', hex({{ column }}), cast({{ column }} as string)
        )),
        '0X',
        ''
    )
{%- endmacro %}
