{{ config(materialized='kept_view') }}
{%- set queued_articles = [] -%}
{%- set merge_articles = [] -%}
{%- for item in article_list() -%}
    {%- do (merge_articles if is_merge(item.publication) else queued_articles).append(item) -%}
{%- endfor %}

-- One row per row and node that is known to have made a version of it, and one per column and its
-- last writer where columns are tracked: the last version of each.

with

publications as (select * from {{ ref('configured_publications') }}),

-- one row per row that was ever published under queued updating
queued_versions as (
    {% for item in queued_articles -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        row_key,
        row_version,
        version_node,
        version_change_id,
        is_deleted
    from {{ ref(item.publication ~ '__' ~ item.article ~ '__versions') }}
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    {{ empty_relation({
        'publication': 'string', 'article': 'string', 'row_key': 'string', 'row_version': 'string',
        'version_node': 'string', 'version_change_id': 'string', 'is_deleted': 'boolean'
    }) | indent(4) }}
    {%- endfor %}
),

-- one row per row that was ever published under merge replication
merge_versions as (
    {% for item in merge_articles -%}
    select
        '{{ item.publication }}' as publication,
        '{{ item.article }}' as article,
        row_key,
        version_change_id,
        is_deleted,
        lineage,
        merge_version,
        array({{ sql_texts(tracked_columns(item.options)) }}) as tracked_columns
    from {{ ref(item.publication ~ '__' ~ item.article ~ '__versions') }}
    {% if not loop.last %}union all
    {% endif -%}
    {%- else -%}
    {{ empty_relation({
        'publication': 'string', 'article': 'string', 'row_key': 'string',
        'version_change_id': 'string', 'is_deleted': 'boolean', 'lineage': 'map<string, bigint>',
        'merge_version': merge_version_type(), 'tracked_columns': 'array<string>'
    }) | indent(4) }}
    {%- endfor %}
),

-- queued updating: the last version that a node has made of a row
made as (
    select
        publication,
        article,
        row_key,
        version_node as node,
        max_by(
            struct(publisher_version, version_change_id),
            {{ decision_order() }}
        ) as newest
    from {{ ref('change_outcomes') }}
    where
        is_written
        and replication = 'queued'
    group by publication, article, row_key, version_node
),

queued_rows as (
    select
        versions.publication,
        versions.article,
        versions.row_key,
        cast(null as string) as colname,
        coalesce(made.node, publications.publisher) as node,
        if(made.node is null, versions.row_version, made.newest.publisher_version) as version,
        made.newest.version_change_id <=> versions.version_change_id as is_current,
        versions.is_deleted,
        versions.version_node is null as is_initial,
        false as is_of_a_run
    from queued_versions as versions
    inner join publications on versions.publication = publications.publication
    left join made
        on
            versions.publication = made.publication
            and versions.article = made.article
            and versions.row_key = made.row_key
),

-- one row per row of merge replication, with the publisher, whose runs make versions too
held as (
    select
        merge_versions.*,
        publications.publisher
    from merge_versions
    inner join publications on merge_versions.publication = publications.publication
),

-- merge replication: every node in the lineage, with the highest number that is known of it
known as (
    select
        *,
        explode(lineage) as (node, number)
    from held
),

merged_rows as (
    select
        publication,
        article,
        row_key,
        cast(null as string) as colname,
        node,
        {{ version_text('node', 'number') }} as version,
        node <=> merge_version.writer.node
        and number <=> merge_version.writer.number as is_current,
        is_deleted,
        version_change_id is null as is_initial,
        node = {{ run_node() }} as is_of_a_run
    from known
),

-- merge replication, column tracking: who wrote a column last
written as (
    select
        *,
        explode({{ writers_of_columns(
            'tracked_columns', 'merge_version.column_writers'
        ) | indent(8) }}) as (colname, writer)
    from held
    where not is_deleted
),

merged_columns as (
    select
        publication,
        article,
        row_key,
        colname,
        writer.node,
        {{ version_text('writer.node', 'writer.number') }} as version,
        writer.node <=> merge_version.writer.node
        and writer.number <=> merge_version.writer.number as is_current,
        is_deleted,
        writer.change_id is null as is_initial,
        writer.node = {{ run_node() }} as is_of_a_run
    from written
    where colname <> '*'
),

replicas as (
    select * from queued_rows
    union all
    select * from merged_rows
    union all
    select * from merged_columns
),

final as (
    select
        publication,
        article,
        row_key,
        colname,
        node,
        version,
        if(is_current, 'y', 'n') as current_state,
        is_deleted,
        case
            when colname is not null and is_of_a_run then 'a run wrote the value'
            when colname is not null and is_initial then 'as in the initial snapshot'
            when colname is not null then 'wrote the column last'
            when is_current and is_deleted then 'deleted the row'
            when is_current and is_initial then 'the initial snapshot'
            when is_current and is_of_a_run then 'a run made this version'
            when is_current then 'made this version'
            else 'made an earlier version, or one that this one knows'
        end as comment
    from replicas
)

select * from final
