{#- Merge replication: what is kept with a row of the initial snapshot. Its version, 'node:number', was agreed before the queue
    began: it defends itself like the publisher's, and lies before every place of the queue. A row without a version is known to
    every node. -#}
{% macro initial_merge_version(item, version) -%}
{%- set writer = replication_conflicts.row_writer(
    '100', '0', '0', replication_conflicts.version_node(version), replication_conflicts.version_number(version), 'null'
) -%}
struct(
        {{ writer }} as writer,
        {{ replication_conflicts.initial_lineage(version) }} as known_as,
        map_from_arrays(
            array('{{ replication_conflicts.tracked_columns(item.options) | join("', '") }}'),
            array_repeat({{ writer }}, {{ replication_conflicts.tracked_columns(item.options) | length }})
        ) as column_writers
    )
{%- endmacro %}


{#- The lineage of a row of the initial snapshot: its version alone. -#}
{% macro initial_lineage(version) -%}
if(
        {{ replication_conflicts.version_number(version) }} is null,
        cast(map() as map<string,bigint>),
        map({{ replication_conflicts.version_node(version) }}, {{ replication_conflicts.version_number(version) }})
    )
{%- endmacro %}


{#- The node of a version 'node:number'. -#}
{% macro version_node(version) -%}
regexp_extract({{ version }}, '^(.*):[0-9]+$', 1)
{%- endmacro %}


{#- The number of a version 'node:number'; NULL where the text is no such version. -#}
{% macro version_number(version) -%}
cast(nullif(regexp_extract({{ version }}, '^.*:([0-9]+)$', 1), '') as bigint)
{%- endmacro %}
