select
    case_name,
    {{ conflict_type(
        'conflict_kind', 'is_change_loser', 'is_column_tracked', is_reported='is_reported'
    ) | indent(4) }} as conflict_type
from {{ ref('unit_conflict_type_input') }}
