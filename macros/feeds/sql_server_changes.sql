{#- A feed from the rows of an SQL Server change table (cdc.<schema>_<table>_CT), or of cdc.fn_cdc_get_all_changes_... with
    'all update old': the row before an update (__$operation 3) and the one after it (4) become one change; where their keys
    differ, a delete and an insert.

    relation: those rows.  node, queue_position, changed_at, transaction_change_count: SQL expressions over it; the queue
    position of the row after an update counts.  version_column: a captured column that holds the row's version; none: a hash
    of the row.  timestamp_unit: see timestamp_units. -#}
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
{%- set options = replication_conflicts.article_options(publication, article) -%}
{%- set columns = options.columns -%}
{%- set names = columns | list -%}
{%- set units = replication_conflicts.timestamp_units(columns, timestamp_unit) -%}
{%- set fields = {} -%}
{%- for column in columns -%}
    {%- do fields.update({column: adapter.quote(column)}) -%}
{%- endfor -%}
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
        {{ replication_conflicts.image_fits(fields, columns, units) | indent(8) }} as is_fit,
        {%- if version_column %}
        {{ replication_conflicts.column_version(
            adapter.quote(version_column), version_column, columns, units
        ) | indent(8) }} as image_version,
        {%- endif %}
        {%- for column, data_type in columns.items() %}
        {{ replication_conflicts.image_value(fields[column], data_type, units[column]) | indent(8) }}
            as value_{{ loop.index }}
        {%- if not loop.last -%},{%- endif -%}
        {%- endfor %}
    from captured
),

-- one row per change and image: beside the row after an update, the one before it
paired as (
    select
        *,
        {%- for column in columns %}
        lag(value_{{ loop.index }}) over one_row as earlier_{{ loop.index }},
        {%- endfor %}
        {%- if version_column %}
        lag(image_version) over one_row as earlier_version,
        {%- endif %}
        lag(is_fit) over one_row as is_earlier_fit,
        coalesce(lag(operation_code) over one_row, 0) as earlier_code,
        coalesce(lead(operation_code) over one_row, 0) as later_code,
        count_if(operation_code = 3) over (partition by node, transaction_lsn, change_lsn) as images_before
    from typed
    window one_row as (
        partition by node, transaction_lsn, change_lsn
        {%- for column in options.primary_key %}, value_{{ names.index(column) + 1 }}{% endfor %}
        order by operation_code
    )
),

-- one row per change: where an update has changed the key, its two images are two changes. Without any image before it, an
-- update stays one, and is rejected
named as (
    select
        *,
        case
            when operation_code in (1, 3) then 'delete'
            when operation_code = 2 or (operation_code = 4 and earlier_code <> 3 and images_before > 0) then 'insert'
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
            {%- for column in options.primary_key %},
            cast(value_{{ names.index(column) + 1 }} as string)
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
        {%- if version_column %}
        if(operation = 'delete', image_version, earlier_version) as before_version,
        image_version as after_version,
        {%- endif %}
        {%- for column in columns %}
        if(operation = 'delete', value_{{ loop.index }}, earlier_{{ loop.index }}) as before_{{ loop.index }},
        value_{{ loop.index }} as after_{{ loop.index }}
        {%- if not loop.last -%},{%- endif -%}
        {%- endfor %}
    from named
)

{{ replication_conflicts.changes_of_images(publication, article, 'changes', version_column) }}
{%- endmacro %}


{#- A log sequence number as text, from bytes or from a text that SQL Server's tools print (0x...). -#}
{% macro _log_position(column) -%}
    replace(upper(if(typeof({{ column }}) = 'binary', hex({{ column }}), cast({{ column }} as string))), '0X', '')
{%- endmacro %}
