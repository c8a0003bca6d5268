select
    case_name,
    {{ defending_priority(
        'is_publisher_change', 'is_client', 'stamped', 'subscription_priority'
    ) | indent(4) }} as defending_priority
from {{ ref('unit_defending_priority_input') }}
