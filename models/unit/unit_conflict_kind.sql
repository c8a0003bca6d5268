select
    case_name,
    {{ conflict_kind('operation', 'comparison', 'is_row_held') | indent(4) }} as conflict_kind
from {{ ref('unit_conflict_kind_input') }}
