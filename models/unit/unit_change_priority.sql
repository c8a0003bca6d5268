select
    case_name,
    {{ change_priority(
        'is_publisher_change', 'is_client', 'stamped', 'subscription_priority'
    ) | indent(4) }} as change_priority
from {{ ref('unit_change_priority_input') }}
