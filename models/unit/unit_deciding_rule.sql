select
    case_name,
    {{ deciding_rule(
        'policy', 'is_publisher_change', 'is_waiting', 'has_conflict', 'is_conflict',
        'has_failure', 'failure'
    ) | indent(4) }} as rule
from {{ ref('unit_deciding_rule_input') }}
