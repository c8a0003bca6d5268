select
    case_name,
    {{ has_invalid_priority('is_publisher_change', 'stamped') | indent(4) }} as has_invalid_priority
from {{ ref('unit_has_invalid_priority_input') }}
