{#- A feed from a Delta table's change data feed: the columns of table_changes('<table>',
    <version>), with _change_type, _commit_version and _commit_timestamp. A commit is a transaction;
    in one commit a row changes once. An update of the key is a delete of the old one and an insert
    of the new one.

    relation: those rows.  node: SQL expression.  queue_position: SQL expression; none: by commit
    and, inside it, deletes first and then by key, which serves a publication whose only article is
    fed like this.  version_column: a column of the table that holds the row's version; none: a hash
    of the row.  timestamp_unit: see timestamp_units. -#}
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
{%- do replication_conflicts.check_feed_arguments(
    'delta_changes', publication, article, {'relation': relation, 'node': node}
) -%}
{%- set options = replication_conflicts.article_options(publication, article) -%}
{%- set columns = options.columns -%}
{%- set units = replication_conflicts.timestamp_units(columns, timestamp_unit) -%}
{%- set keys = replication_conflicts.image_key(options) -%}
with

committed as (select * from {{ relation }}),

typed as (
    select
        _commit_version as commit_version,
        _commit_timestamp as changed_at,
        _change_type as change_type,
        {{ node }} as node,
        {{ queue_position or 'cast(null as bigint)' }} as given_position,
        {{ replication_conflicts.typed_image(columns, units, version_column) | indent(8) }}
    from committed
),

-- one row per image: what is delivered again is left out
delivered as (
    {{ replication_conflicts.first_deliveries(
        'typed',
        columns,
        version_column,
        ['node', 'commit_version', 'change_type'],
        'given_position'
    ) | indent(4) }}
),

-- one row per change and image: beside the row after an update, the one before it
paired as (
    select
        *,
        {{ replication_conflicts.earlier_image(columns, version_column, 'one_row') | indent(8) }},
        coalesce(lag(change_type) over one_row, '') as earlier_type,
        coalesce(lead(change_type) over one_row, '') as later_type
    from delivered
    window one_row as (
        partition by node, commit_version, {{ keys | join(', ') }}
        order by case change_type when 'delete' then 0 when 'update_preimage' then 1 else 2 end
    )
),

-- one row per change: where an update has changed the key, its two images are two changes
named as (
    select
        *,
        case
            when change_type = 'update_preimage' then 'delete'
            when change_type = 'update_postimage'
                then if(earlier_type = 'update_preimage', 'update', 'insert')
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
            order by operation <> 'delete', {{ keys | join(', ') }}
        ) as number_in_commit,
        count(*) over (partition by node, commit_version) as commit_size
    from named
),

-- commits of every table have the same numbers
changes as (
    select
        sha2(to_json(array(
            '{{ article }}', node, cast(commit_version as string), change_type
            {%- for key in keys %},
            cast({{ key }} as string)
            {%- endfor %}
        )), 256) as change_id,
        {{
            'given_position'
            if queue_position
            else 'commit_version * ' ~ changes_per_commit ~ ' + number_in_commit'
        }} as queue_position,
        node,
        concat('{{ article }}/', cast(commit_version as string)) as transaction_id,
        commit_size as transaction_change_count,
        operation,
        changed_at,
        case operation when 'delete' then is_fit when 'update' then is_earlier_fit else false end
            as has_before,
        operation in ('insert', 'update') and is_fit as has_after,
        {{ replication_conflicts.image_sides(columns, version_column) | indent(8) }}
    from ordered
)

{{ replication_conflicts.changes_of_images(publication, article, 'changes', version_column) }}
{%- endmacro %}
