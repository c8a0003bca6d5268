select
    case_name,
    {{ queued_rule(
        'policy', 'is_publisher_change', 'is_waiting', 'has_conflict', 'is_conflict',
        'has_failure', 'failure'
    ) | indent(4) }} as rule
from {{ ref('unit_queued_rule_input') }}
