{#- The whole model <publication>__<article>__versions: one row per key that was ever published,
    tombstones included, with the version of the row and who made it. Takes from the decision log
    what is newer than itself, one MERGE a run. -#}
{% macro row_versions(publication, article) -%}
{%- set options = replication_conflicts.article_options(publication, article) -%}
{{- config(
    materialized='ledger',
    file_format='delta',
    news={
        'model': 'change_outcomes',
        'by': 'run_sequence',
        'where': "is_written and publication = '" ~ publication
            ~ "' and article = '" ~ article ~ "'"
    },
    unique_key='row_key',
    tblproperties={'delta.enableDeletionVectors': 'true'}
) -}}
{%- set only_news = replication_conflicts.takes_only_news() -%}
{%- set is_merge = replication_conflicts.is_merge(publication) -%}
with

outcomes as (
    select
        *,
        xxhash64(row_key) as key_hash
    from {{ ref('change_outcomes') }}
    where
        publication = '{{ publication }}'
        and article = '{{ article }}'
        and is_written
        and run_sequence > {{ replication_conflicts.last_run_taken() }}
),

-- rows that were written more than once, by their hashes: mostly few. All others need not be
-- brought together
rewritten as (
    select key_hash
    from outcomes
    group by key_hash
    having count(*) > 1
),

-- one row per key: the last version that the runs made of it
newest as (
    select outcomes.*
    from outcomes
    left anti join rewritten on outcomes.key_hash = rewritten.key_hash
    union all
    select * except (age)
    from (
        select
            outcomes.*,
            row_number() over (
                partition by outcomes.row_key
                order by {{ replication_conflicts.decision_order() | indent(16) }} desc
            ) as age
        from outcomes
        left semi join rewritten on outcomes.key_hash = rewritten.key_hash
    )
    where age = 1
),

versions as (
    select
        {%- for column, data_type in options.columns.items() %}
        {{ replication_conflicts.typed_value(
            replication_conflicts.written_row() ~ "['" ~ column ~ "']", data_type
        ) }} as {{ adapter.quote(column) }},
        {%- endfor %}
        row_key,
        publisher_version as row_version,
        version_node,
        version_change_id,
        publisher_version is null as is_deleted,
        {%- if is_merge %}
        publisher_lineage as lineage,
        merge_version,
        {%- endif %}
        queue_position,
        changed_at,
        run_sequence
    from newest
),
{% if options.get('initial_snapshot') %}
{%- set initial = source('initial', publication ~ '__' ~ article) -%}
{%- endif -%}
{%- if options.get('initial_snapshot') and not only_news %}
initial as (
    select
        {%- for column in options.columns %}
        {{ adapter.quote(column) }},
        {%- endfor %}
        {{ replication_conflicts.row_key(options.primary_key, options.columns) }} as row_key,
        row_version
    from {{ initial }}
),

untouched as (
    select
        initial.*,
        cast(null as string) as version_node,
        cast(null as string) as version_change_id,
        false as is_deleted,
        {%- if is_merge %}
        {{ replication_conflicts.initial_lineage('row_version') | indent(4) }} as lineage,
        {{ replication_conflicts.initial_merge_version('row_version') | indent(4) }}
            as merge_version,
        {%- endif %}
        cast(null as bigint) as queue_position,
        cast(null as timestamp) as changed_at,
        cast(0 as bigint) as run_sequence
    from initial
    left anti join versions on initial.row_key = versions.row_key
),

final as (
    select * from versions
    union all
    select * from untouched
)
{% else %}
final as (select * from versions)
{% endif %}
select * from final
{%- endmacro %}
