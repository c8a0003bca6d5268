{#- Merge replication: as what the version that a change makes is known, node to version number: as
    that version. What a run deletes because a subscriber refused its row, that subscriber knows as
    well, of which no command can tell it: it never had the row. The number is one that no other
    node can know. Over the columns node, number, operation and intervention. -#}
{% macro known_as() -%}
    if(
        intervention.kind = 'refused_command' and operation = 'delete',
        map(node, number, intervention.subscriber, {{ replication_conflicts.behind_queue() }}),
        map(node, number)
    )
{%- endmacro %}
