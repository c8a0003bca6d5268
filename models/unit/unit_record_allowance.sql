select
    case_name,
    case
        {{ record_allowance() | indent(4) }}
        else false
    end as is_allowed,
    {{ operation_of_contract() | indent(4) }} as operation_of_contract,
    {{ record_parent_key('changed_row') | indent(4) }} as parent_key,
    {{ is_at('span', session_place()) | indent(4) }} as is_at
from {{ ref('unit_record_allowance_input') }}
