{#- The row that lost a conflict, as canonical text: the change's own where it lost, else the row
    that it overwrote; NULL where a delete lost, which has no data. Over the columns of
    change_outcomes. -#}
{% macro lost_row() -%}
    case
        when not {{ replication_conflicts.is_change_loser() }} then held_row
        when operation <> 'delete' then change_row
    end
{%- endmacro %}
