select
    case_name,
    {{ change_outcome(
        'verdict', 'failure', 'operation', 'is_row_held', 'is_conflict'
    ) | indent(4) }} as outcome
from {{ ref('unit_change_outcome_input') }}
