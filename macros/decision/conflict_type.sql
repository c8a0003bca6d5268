{#- The number of a conflict: 1 update (also insert against insert, and rows condemned with
    their transaction), 2 the same found by columns, 3 a delete beats an update, 4 an update
    beats a delete; of changes that could not be applied 5 insert, 7 delete, 9 update, and 6, 8,
    10 where a subscriber reports that it could not apply the command that carried them. NULL
    without a conflict.
    `is_change_loser`: whether the incoming change lost; otherwise what the publisher held did.
    Rule: conflict_type of the documented conflict tables. -#}
{% macro conflict_type(conflict_kind, is_change_loser, is_column_tracked, is_reported='false') -%}
    case
        {%- if is_reported != 'false' %}
        when {{ is_reported }}
            then case {{ conflict_kind }}
                when 'failed_insert' then 6
                when 'failed_delete' then 8
                when 'failed_update' then 10
            end
        {%- endif %}
        when {{ conflict_kind }} in ('update_update', 'insert_insert') and {{ is_column_tracked }}
            then 2
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
