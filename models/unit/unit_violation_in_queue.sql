select
    case_name,
    {{ violation_in_queue('is_expired') | indent(4) }} as violation,
    {{ violation_in_queue('false', relation='cases.') | indent(4) }} as violation_but_for_age
from {{ ref('unit_violation_in_queue_input') }} as cases
