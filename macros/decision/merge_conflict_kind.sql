{#- Merge replication: what kind of conflict a change is in with the row that the publisher
    holds, the incoming change first; NULL where there is none. `is_contested`: whether it
    contends with anybody. -#}
{% macro merge_conflict_kind(operation, comparison, is_row_held, is_contested) -%}
    case
        when {{ comparison }} <> 'concurrent' or not {{ is_contested }} then null
        when {{ is_row_held }} and {{ operation }} = 'insert' then 'insert_insert'
        when {{ is_row_held }} and {{ operation }} = 'update' then 'update_update'
        when {{ is_row_held }} then 'delete_update'
        when {{ operation }} <> 'delete' then 'update_delete'
    end
{%- endmacro %}
