{#- A feed from a Delta table's change data feed: the columns of table_changes('<table>', <version>), with _change_type,
    _commit_version and _commit_timestamp. A commit is a transaction; in one commit a row changes once.

    relation: those rows.  node: SQL expression.  queue_position: SQL expression; none: by commit and, inside it, deletes
    first and then by key, which serves a publication whose only article is fed like this. -#}
{% macro delta_changes(publication, article, relation, node, queue_position=none, changes_per_commit=10000000) -%}
{%- set options = replication_conflicts.article_options(publication, article) -%}
{%- set columns = options.columns -%}
{%- set names = columns | list -%}
with

committed as (select * from {{ relation }}),

typed as (
    select
        _commit_version as commit_version,
        _commit_timestamp as changed_at,
        _change_type as change_type,
        {{ node }} as node,
        {{ queue_position or 'cast(null as bigint)' }} as given_position,
        {%- for column, data_type in columns.items() %}
        {{ replication_conflicts.image_value(adapter.quote(column), data_type) | indent(8) }}
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
        lag(change_type) over one_row as earlier_type
    from typed
    window one_row as (
        partition by node, commit_version
        {%- for column in options.primary_key %}, value_{{ names.index(column) + 1 }}{% endfor %}
        order by case change_type when 'delete' then 0 when 'update_preimage' then 1 else 2 end
    )
),

ordered as (
    select
        *,
        row_number() over (
            partition by node, commit_version
            order by
                change_type <> 'delete'
                {%- for column in options.primary_key %},
                value_{{ names.index(column) + 1 }}
                {%- endfor %}
        ) as place,
        count(*) over (partition by node, commit_version) as commit_size
    from paired
    where change_type <> 'update_preimage'
),

changes as (
    select
        sha2(to_json(array(
            node, cast(commit_version as string), change_type
            {%- for column in options.primary_key %},
            cast(value_{{ names.index(column) + 1 }} as string)
            {%- endfor %}
        )), 256) as change_id,
        {{ 'given_position' if queue_position else 'commit_version * ' ~ changes_per_commit ~ ' + place' }}
            as queue_position,
        node,
        commit_version as transaction_id,
        commit_size as transaction_change_count,
        if(change_type = 'update_postimage', 'update', change_type) as operation,
        changed_at,
        change_type = 'delete'
        or (change_type = 'update_postimage' and coalesce(earlier_type = 'update_preimage', false)) as has_before,
        change_type in ('insert', 'update_postimage') as has_after,
        {%- for column in columns %}
        if(change_type = 'delete', value_{{ loop.index }}, earlier_{{ loop.index }}) as before_{{ loop.index }},
        value_{{ loop.index }} as after_{{ loop.index }}
        {%- if not loop.last -%},{%- endif -%}
        {%- endfor %}
    from ordered
)

{{ replication_conflicts.changes_of_images(publication, article, 'changes') }}
{%- endmacro %}
