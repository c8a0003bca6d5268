{#- The rows that the publisher holds of one article, tombstones included, as a query: row_key,
    row_version (NULL where the row is deleted), version_node, version_change_id, is_deleted; for
    merge replication also lineage and merge_version; with `with_values` also held_row, the values
    as canonical text. `held`: what held_state says of the article. After a run that died before it
    came to the published table, the versions that only the decision log knows yet lie over the ones
    of the table. -#}
{% macro held_rows(item, held, with_values=false) -%}
{%- if not held.overlay -%}
{{ replication_conflicts._held_base_rows(item, held, with_values) }}
{%- else -%}
select
    coalesce(overlay.row_key, base.row_key) as row_key,
    if(overlay.row_key is null, base.row_version, overlay.newest.publisher_version) as row_version,
    if(overlay.row_key is null, base.version_node, overlay.newest.version_node) as version_node,
    if(overlay.row_key is null, base.version_change_id, overlay.newest.version_change_id)
        as version_change_id,
    if(overlay.row_key is null, base.is_deleted, overlay.newest.publisher_version is null)
        as is_deleted
    {%- if replication_conflicts.is_merge(item.publication) %},
    if(overlay.row_key is null, base.lineage, overlay.newest.publisher_lineage) as lineage,
    if(overlay.row_key is null, base.merge_version, overlay.newest.merge_version) as merge_version
    {%- endif %}
    {%- if with_values %},
    if(overlay.row_key is null, base.held_row, overlay.newest.published_row) as held_row
    {%- endif %}
from (
    {{ replication_conflicts._held_base_rows(item, held, with_values) | indent(4) }}
) as base
full outer join (
    select
        row_key,
        max_by(
            struct(
                publisher_version,
                version_node,
                version_change_id,
                publisher_lineage,
                merge_version,
                {{ replication_conflicts.whole_row(
                    replication_conflicts.written_row(),
                    'array(' ~ replication_conflicts.sql_texts(item.options.columns) ~ ')'
                ) }} as published_row
            ),
            {{ replication_conflicts.decision_order() }}
        ) as newest
    from {{ source('held', 'change_outcomes') }}
    where
        publication = '{{ item.publication }}'
        and article = '{{ item.article }}'
        and is_written
        and run_sequence > {{ held.sequence }}
    group by row_key
) as overlay
    on base.row_key = overlay.row_key
{%- endif -%}
{%- endmacro %}


{#- What the published table holds, or the initial snapshot before there is one. -#}
{% macro _held_base_rows(item, held, with_values) -%}
{%- set name = item.publication ~ '__' ~ item.article -%}
{%- set is_merge = replication_conflicts.is_merge(item.publication) -%}
{%- if held.base == 'versions' -%}
select
    row_key,
    row_version,
    version_node,
    version_change_id,
    is_deleted
    {%- if is_merge %},
    lineage,
    merge_version
    {%- endif %}
    {%- if with_values %},
    {{ replication_conflicts.canonical_row(item.options.columns) }} as held_row
    {%- endif %}
from {{ source('held', name ~ '__versions') }}
{%- elif held.base == 'initial' -%}
select
    {{ replication_conflicts.row_key(item.options.primary_key, item.options.columns) }} as row_key,
    row_version,
    cast(null as string) as version_node,
    cast(null as string) as version_change_id,
    false as is_deleted
    {%- if is_merge %},
    {{ replication_conflicts.initial_lineage('row_version') | indent(4) }} as lineage,
    {{ replication_conflicts.initial_merge_version('row_version') | indent(4) }} as merge_version
    {%- endif %}
    {%- if with_values %},
    {{ replication_conflicts.canonical_row(item.options.columns) }} as held_row
    {%- endif %}
from {{ source('initial', name) }}
{%- else -%}
{%- set columns = {
    'row_key': 'string', 'row_version': 'string', 'version_node': 'string',
    'version_change_id': 'string', 'is_deleted': 'boolean'
} -%}
{%- if is_merge -%}
    {%- do columns.update({
        'lineage': 'map<string, bigint>',
        'merge_version': replication_conflicts.merge_version_type()
    }) -%}
{%- endif -%}
{%- if with_values -%}
    {%- do columns.update({'held_row': 'map<string, string>'}) -%}
{%- endif -%}
{{ replication_conflicts.empty_relation(columns) }}
{%- endif -%}
{%- endmacro %}
