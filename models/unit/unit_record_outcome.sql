select
    case_name,
    {{ record_outcome(
        'is_change', 'record_verdict', 'failure', 'has_record_failure', 'is_allowed',
        'is_opponent', 'is_publisher_change', 'outcome_alone'
    ) | indent(4) }} as outcome
from {{ ref('unit_record_outcome_input') }}
