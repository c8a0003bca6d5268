{#- A feed from the rows of an SQL Server change table (cdc.<schema>_<table>_CT), or of cdc.fn_cdc_get_all_changes_... with
    'all update old': the row before an update (__$operation 3) and the one after it (4) become one change.

    relation: those rows.  node, queue_position, changed_at, transaction_change_count: SQL expressions over it; the queue
    position of the row after an update counts. -#}
{% macro sql_server_changes(
    publication,
    article,
    relation,
    node,
    queue_position,
    changed_at='null',
    transaction_change_count='null',
    timestamp_unit='micros'
) -%}
{%- set options = replication_conflicts.article_options(publication, article) -%}
{%- set columns = options.columns -%}
{%- set names = columns | list -%}
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
        {%- for column, data_type in columns.items() %}
        {{ replication_conflicts.image_value(adapter.quote(column), data_type, timestamp_unit) | indent(8) }}
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
        lag(value_{{ loop.index }}) over one_update as earlier_{{ loop.index }},
        {%- endfor %}
        lag(operation_code) over one_update as earlier_code
    from typed
    window one_update as (
        partition by node, transaction_lsn, change_lsn
        {%- for column in options.primary_key %}, value_{{ names.index(column) + 1 }}{% endfor %}
        order by operation_code
    )
),

changes as (
    select
        sha2(to_json(array(
            node, transaction_lsn, change_lsn, cast(operation_code as string)
            {%- for column in options.primary_key %},
            cast(value_{{ names.index(column) + 1 }} as string)
            {%- endfor %}
        )), 256) as change_id,
        queue_position,
        node,
        transaction_lsn as transaction_id,
        transaction_change_count,
        case operation_code when 1 then 'delete' when 2 then 'insert' when 4 then 'update'
            else cast(operation_code as string) end as operation,
        changed_at,
        operation_code = 1 or (operation_code = 4 and coalesce(earlier_code = 3, false)) as has_before,
        operation_code in (2, 4) as has_after,
        {%- for column in columns %}
        if(operation_code = 1, value_{{ loop.index }}, earlier_{{ loop.index }}) as before_{{ loop.index }},
        value_{{ loop.index }} as after_{{ loop.index }}
        {%- if not loop.last -%},{%- endif -%}
        {%- endfor %}
    from paired
    where operation_code <> 3
)

{{ replication_conflicts.changes_of_images(publication, article, 'changes') }}
{%- endmacro %}


{#- A log sequence number as text, from bytes or from a text that SQL Server's tools print (0x...). -#}
{% macro _log_position(column) -%}
    replace(upper(if(typeof({{ column }}) = 'binary', hex({{ column }}), cast({{ column }} as string))), '0X', '')
{%- endmacro %}
