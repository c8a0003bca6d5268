{#- Whether the publisher keeps a losing row for a decided change: the change's own where it was
    rejected and is no delete, else the row that it overwrote. Over the columns of change_outcomes.
    Rule: a delete has no data; conflict_logging 'subscriber' keeps the record at the subscriber
    alone. -#}
{% macro has_conflict_row() -%}
    {{ return(
        "conflict_id is not null and conflict_logging <> 'subscriber' and if("
        ~ replication_conflicts.is_change_loser() ~ ", operation <> 'delete', held_row is not null)"
    ) }}
{%- endmacro %}
