select
    case_name,
    {{ merge_allowance(
        operation='operation', is_obsolete='is_obsolete', is_run_row='is_run_row',
        record_verdict='record_verdict', is_row_held='is_row_held', is_same_value='is_same_value',
        comparison='comparison', is_publisher_change='is_publisher_change', verdict='verdict'
    ) | indent(4) }} as is_allowed,
    {{ operation_of_contract() | indent(4) }} as operation_of_contract,
    {{ record_parent_key('changed_row') | indent(4) }} as parent_key,
    {{ span_covers('span', session_place()) | indent(4) }} as is_covered
from {{ ref('unit_merge_allowance_input') }}
