select
    case_name,
    {{ transaction_verdict(
        'policy', 'is_publisher_change', 'is_waiting', 'has_conflict', 'has_failure'
    ) | indent(4) }} as verdict
from {{ ref('unit_transaction_verdict_input') }}
