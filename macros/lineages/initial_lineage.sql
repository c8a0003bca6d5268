{#- The lineage of a row of the initial snapshot: its version alone. -#}
{% macro initial_lineage(version) -%}
    if(
        {{ replication_conflicts.version_number(version) }} is null,
        cast(map() as map<string,bigint>),
        map(
            {{ replication_conflicts.version_node(version) }},
            {{ replication_conflicts.version_number(version) }}
        )
    )
{%- endmacro %}
