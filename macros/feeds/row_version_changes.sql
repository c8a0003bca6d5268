{#- A feed from rows as they are, each with a version: a counter, a GUID or the time of its last
    change. Every version of a row that the relation has is a change. What the relation has not,
    nobody sees: versions between two looks at the table, and deletes, unless rows are flagged.

    relation: rows as they were found, earlier ones kept.  node, queue_position, is_deleted,
    changed_at, transaction_id, transaction_change_count, known_position: SQL expressions over it.
    version_column, previous_version_column: columns of it.

    Queued updating, with a previous_version_column: both columns are versions as every node knows
    them. Without one: the version before is that of the row's earlier row of that node in the
    relation, by queue_position; of the first row that of the initial snapshot. The numbers of two
    nodes may be the same, so that a version is '<node>:<version>' then. Merge replication:
    known_position says what the node had seen; versions only tell changes apart. -#}
{% macro row_version_changes(
    publication,
    article,
    relation,
    node,
    version_column,
    queue_position,
    previous_version_column=none,
    is_deleted='false',
    changed_at='null',
    transaction_id='null',
    transaction_change_count='null',
    known_position=none,
    timestamp_unit='micros'
) -%}
{%- do replication_conflicts.check_feed_arguments('row_version_changes', publication, article, {
    'relation': relation,
    'node': node,
    'version_column': version_column,
    'queue_position': queue_position
}) -%}
{%- set options = replication_conflicts.article_options(publication, article) -%}
{%- set columns = options.columns -%}
{%- set units = replication_conflicts.timestamp_units(columns, timestamp_unit) -%}
{%- set is_merge = replication_conflicts.is_merge(publication) -%}
{%- set subject = (
    "publication '" ~ publication ~ "', article '" ~ article ~ "': row_version_changes "
) -%}
{%- if is_merge and (known_position is none or previous_version_column is not none) -%}
    {{ exceptions.raise_compiler_error(
        subject
        ~ "needs known_position and no previous_version_column, because the publication is merge "
        ~ "replication."
    ) }}
{%- elif known_position is not none and not is_merge -%}
    {{ exceptions.raise_compiler_error(
        subject ~ "has a known_position, which belongs to merge replication; give a "
        ~ "previous_version_column, or neither."
    ) }}
{%- endif -%}
{%- set by_order = not is_merge and previous_version_column is none -%}
{%- set has_initial = by_order and options.get('initial_snapshot', false) -%}
{%- set keys = replication_conflicts.image_key(options) -%}
with

found as (select * from {{ relation }}),

typed as (
    select
        cast({{ queue_position }} as bigint) as queue_position,
        {{ node }} as node,
        {{ transaction_id }} as transaction_id,
        {{ transaction_change_count }} as transaction_change_count,
        coalesce({{ is_deleted }}, false) as is_deleted,
        {{ changed_at }} as changed_at,
        {{ known_position or 'null' }} as known_position,
        {% if by_order %}concat({{ node }}, ':', {% endif -%}
        {{ replication_conflicts.column_version(
            adapter.quote(version_column), version_column, columns, units
        ) | indent(8) }}{{ ')' if by_order }} as version,
        {%- if previous_version_column %}
        {{ replication_conflicts.column_version(
            adapter.quote(previous_version_column), previous_version_column, columns, units
        ) | indent(8) }} as previous_version,
        {%- endif %}
        {{ replication_conflicts.typed_image(columns, units) | indent(8) }}
    from found
),

-- one row per row that was found: where it was first found as it is
compared as (
    select
        *,
        min(queue_position) over (
            partition by
                node,
                {%- for key in keys %}
                {{ key }},
                {%- endfor %}
                version,
                is_deleted,
                to_json(array(
                    {%- for data_type in columns.values() %}
                    {{ replication_conflicts.canonical_text('value_' ~ loop.index, data_type) }}
                    {%- if not loop.last -%},{%- endif -%}
                    {%- endfor %}
                ))
        ) as first_look
    from typed
),

-- what is found again is no change, whatever else each look says. What breaks the contract stays
changed as (
    select * except (first_look)
    from compared
    where
        queue_position is null
        or version is null
        or not is_fit
        or queue_position = first_look
),
{% if by_order %}
-- a version that is found again with other values stands where it was found first
placed as (
    select
        *,
        min(queue_position) over (
            partition by node, {{ keys | join(', ') }}, version, is_deleted
        ) as first_position
    from changed
),

-- one row per row that was found: beside it the version that the node had before
chained as (
    select
        *,
        last_value(struct(version, is_deleted)) over (
            partition by node, {{ keys | join(', ') }}
            order by first_position
            range between unbounded preceding and 1 preceding
        ) as earlier
    from placed
),

beside_earlier as (
    select
        chained.*,
        {%- if has_initial %}
        case
            when chained.earlier is null then initial.row_version
            when not chained.earlier.is_deleted then chained.earlier.version
        end
        {%- else %}
        if(chained.earlier.is_deleted, null, chained.earlier.version)
        {%- endif %} as previous_version
    from chained
    {%- if has_initial %}
    left join {{ source('initial', publication ~ '__' ~ article) }} as initial
        on
            {%- for column in options.primary_key %}
            {{ 'and ' if not loop.first }}chained.{{ keys[loop.index0] }}
            = initial.{{ adapter.quote(column) }}
            {%- endfor %}
    {%- endif %}
),
{% endif %}
final as (
    select
        sha2(to_json(array(
            '{{ article }}', node, version, cast(is_deleted as string)
            {%- for key in keys %},
            cast({{ key }} as string)
            {%- endfor %}
        )), 256) as change_id,
        queue_position,
        node,
        cast(transaction_id as string) as transaction_id,
        cast(transaction_change_count as int) as transaction_change_count,
        {%- if is_merge %}
        -- an update of a row that was never held applies as an insert
        if(is_deleted, 'delete', 'update') as operation,
        cast(changed_at as timestamp) as changed_at,
        cast(null as map<string,bigint>) as lineage,
        if(is_fit and version is not null, cast(known_position as bigint), null) as known_position,
        cast(null as array<string>) as changed_columns,
        cast(null as map<string,string>) as previous_values,
        cast(null as decimal(5,2)) as priority,
        {%- else %}
        case
            when is_deleted then 'delete'
            when previous_version is null then 'insert'
            else 'update'
        end as operation,
        cast(changed_at as timestamp) as changed_at,
        previous_version as old_version,
        if(is_fit and not is_deleted, version, null) as new_version,
        {%- endif %}
        {%- for column in columns %}
        value_{{ loop.index }} as {{ adapter.quote(column) }}
        {%- if not loop.last -%},{%- endif -%}
        {%- endfor %}
    from {{ 'beside_earlier' if by_order else 'changed' }}
)

select * from final
{%- endmacro %}
