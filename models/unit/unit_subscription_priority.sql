select
    case_name,
    {{ subscription_priority(
        'subscription_type', 'priority'
    ) | indent(4) }} as subscription_priority
from {{ ref('unit_subscription_priority_input') }}
