select
    case_name,
    {{ merge_outcome(
        'verdict', 'comparison', 'operation', 'is_row_held', 'is_conflict', 'is_same_value',
        'is_waiting_for_person', 'is_merged'
    ) | indent(4) }} as outcome
from {{ ref('unit_merge_outcome_input') }}
