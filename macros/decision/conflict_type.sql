{#- The number of a conflict: 1 update (also insert against insert, and rows condemned with their transaction), 2 the same found by
    columns, 3 a delete beats an update, 4 an update beats a delete; of changes that could not be applied 5 insert, 7 delete, 9 update. NULL without a
    conflict.
    `is_change_loser`: whether the incoming change lost; otherwise what the publisher held did.
    Rule: conflict_type of the documented conflict tables. -#}
{% macro conflict_type(conflict_kind, is_change_loser, is_column_tracked) -%}
case
        when {{ conflict_kind }} in ('update_update', 'insert_insert') and {{ is_column_tracked }} then 2
        when {{ conflict_kind }} in ('update_update', 'insert_insert', 'condemned') then 1
        when {{ conflict_kind }} = 'update_delete' and {{ is_change_loser }} then 3
        when {{ conflict_kind }} = 'update_delete' then 4
        when {{ conflict_kind }} = 'delete_update' and {{ is_change_loser }} then 4
        when {{ conflict_kind }} = 'delete_update' then 3
        when {{ conflict_kind }} = 'failed_insert' then 5
        when {{ conflict_kind }} = 'failed_delete' then 7
        when {{ conflict_kind }} = 'failed_update' then 9
    end
{%- endmacro %}
