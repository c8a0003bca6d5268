{#- Queued updating: what kind of conflict a change is in with the row that the publisher holds, the
    incoming change first: 'insert_insert', 'update_update', 'update_delete', 'delete_update'; NULL
    where there is none. A delete of a row that is already gone is no conflict. `comparison`:
    version_comparison; `is_row_held`: whether the publisher holds a row of that key. -#}
{% macro queued_conflict_kind(operation, comparison, is_row_held) -%}
    case
        when {{ comparison }} = 'descendant' then null
        when {{ operation }} = 'insert' then 'insert_insert'
        when {{ operation }} = 'update' and {{ is_row_held }} then 'update_update'
        when {{ operation }} = 'update' then 'update_delete'
        when {{ operation }} = 'delete' and {{ is_row_held }} then 'delete_update'
    end
{%- endmacro %}
