select
    case_name,
    {{ merge_conflict_kind(
        'operation', 'comparison', 'is_row_held', 'is_contested'
    ) | indent(4) }} as conflict_kind
from {{ ref('unit_merge_conflict_kind_input') }}
