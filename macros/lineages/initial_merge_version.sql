{#- Merge replication: what is kept with a row of the initial snapshot. Its version, 'node:number',
    was agreed before the queue began: it defends itself like the publisher's, and lies before every
    place of the queue. A row without a version is known to every node. -#}
{% macro initial_merge_version(version) -%}
{%- set place = replication_conflicts.before_queue() -%}
{%- set writer = replication_conflicts.row_writer(
    '100',
    place,
    place,
    replication_conflicts.version_node(version),
    replication_conflicts.version_number(version),
    'null'
) -%}
    struct(
        {{ writer }} as writer,
        {{ replication_conflicts.initial_lineage(version) }} as known_as,
        {{ replication_conflicts.all_writers(writer) | indent(4) }} as column_writers
    )
{%- endmacro %}
