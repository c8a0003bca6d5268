{#- Merge replication: what became of one change. Never NULL.
    `is_merged`: whether it stands, is not in conflict, and leaves another row than it carried. -#}
{% macro merge_outcome(
    verdict, comparison, operation, is_row_held, is_conflict, is_same_value, is_waiting_for_person,
    is_merged
) -%}
    case
        when {{ comparison }} = 'ancestor' then 'already_known'
        when {{ operation }} = 'delete' and not {{ is_row_held }} then 'already_deleted'
        when {{ is_same_value }} then 'same_value'
        when {{ verdict }} = 'failed' then 'failed'
        when {{ is_waiting_for_person }} then 'waiting'
        when {{ verdict }} = 'rejected' then 'lost'
        when {{ is_conflict }} then 'won'
        when {{ is_merged }} then 'merged'
        else 'applied'
    end
{%- endmacro %}
