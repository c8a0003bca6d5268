{#- Merge replication: whether the rules would apply a change, before anybody asks for constraints.
    Never NULL. An image changes nothing; a row that the run writes for a logical record always
    stands, unless it is obsolete; a change stands or falls with its record.

    record_verdict  'won' or 'lost', with the record; NULL: the change is decided by itself
    verdict         what the rules say of it then: 'accepted' or another -#}
{% macro merge_allowance(
    operation, is_obsolete, is_run_row, record_verdict, is_row_held, is_same_value, comparison,
    is_publisher_change, verdict
) -%}
    case
        when {{ operation }} = 'image' or {{ is_obsolete }} then false
        when {{ is_run_row }} then true
        when {{ record_verdict }} is not null then {{ record_verdict }} = 'won'
        when {{ operation }} = 'delete' and not {{ is_row_held }} then false
        when {{ is_same_value }} then false
        when {{ comparison }} = 'ancestor' and not {{ is_publisher_change }} then false
        else {{ verdict }} = 'accepted'
    end
{%- endmacro %}
