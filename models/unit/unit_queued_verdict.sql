select
    case_name,
    {{ queued_verdict(
        'policy', 'is_publisher_change', 'is_waiting', 'has_conflict', 'has_failure'
    ) | indent(4) }} as verdict
from {{ ref('unit_queued_verdict_input') }}
