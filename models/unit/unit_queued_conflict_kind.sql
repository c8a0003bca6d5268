select
    case_name,
    {{ queued_conflict_kind('operation', 'comparison', 'is_row_held') | indent(4) }}
        as conflict_kind
from {{ ref('unit_queued_conflict_kind_input') }}
