select
    case_name,
    {{ queued_outcome(
        'verdict', 'failure', 'operation', 'is_row_held', 'is_conflict'
    ) | indent(4) }} as outcome
from {{ ref('unit_queued_outcome_input') }}
