{#- A feed from a Delta table's change data feed: the columns of table_changes('<table>', <version>), with _change_type,
    _commit_version and _commit_timestamp. A commit is a transaction; in one commit a row changes once. An update of the key is
    a delete of the old one and an insert of the new one.

    relation: those rows.  node: SQL expression.  queue_position: SQL expression; none: by commit and, inside it, deletes
    first and then by key, which serves a publication whose only article is fed like this.  version_column: a column of the
    table that holds the row's version; none: a hash of the row.  timestamp_unit: see timestamp_units. -#}
{% macro delta_changes(
    publication,
    article,
    relation,
    node,
    queue_position=none,
    changes_per_commit=10000000,
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

committed as (select * from {{ relation }}),

typed as (
    select
        _commit_version as commit_version,
        _commit_timestamp as changed_at,
        _change_type as change_type,
        {{ node }} as node,
        {{ queue_position or 'cast(null as bigint)' }} as given_position,
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
    from committed
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
        coalesce(lag(change_type) over one_row, '') as earlier_type,
        coalesce(lead(change_type) over one_row, '') as later_type
    from typed
    window one_row as (
        partition by node, commit_version
        {%- for column in options.primary_key %}, value_{{ names.index(column) + 1 }}{% endfor %}
        order by case change_type when 'delete' then 0 when 'update_preimage' then 1 else 2 end
    )
),

-- one row per change: where an update has changed the key, its two images are two changes
named as (
    select
        *,
        case
            when change_type = 'update_preimage' then 'delete'
            when change_type = 'update_postimage' then if(earlier_type = 'update_preimage', 'update', 'insert')
            else change_type
        end as operation
    from paired
    where change_type <> 'update_preimage' or later_type <> 'update_postimage'
),

ordered as (
    select
        *,
        row_number() over (
            partition by node, commit_version
            order by
                operation <> 'delete'
                {%- for column in options.primary_key %},
                value_{{ names.index(column) + 1 }}
                {%- endfor %}
        ) as place,
        count(*) over (partition by node, commit_version) as commit_size
    from named
),

-- commits of every table have the same numbers
changes as (
    select
        sha2(to_json(array(
            '{{ article }}', node, cast(commit_version as string), change_type
            {%- for column in options.primary_key %},
            cast(value_{{ names.index(column) + 1 }} as string)
            {%- endfor %}
        )), 256) as change_id,
        {{ 'given_position' if queue_position else 'commit_version * ' ~ changes_per_commit ~ ' + place' }}
            as queue_position,
        node,
        concat('{{ article }}/', cast(commit_version as string)) as transaction_id,
        commit_size as transaction_change_count,
        operation,
        changed_at,
        case operation when 'delete' then is_fit when 'update' then is_earlier_fit else false end as has_before,
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
    from ordered
)

{{ replication_conflicts.changes_of_images(publication, article, 'changes', version_column) }}
{%- endmacro %}
