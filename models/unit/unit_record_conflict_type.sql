select
    case_name,
    {{ record_conflict_type(
        'losing_operation', 'are_winners_deletes', 'are_winners_inserts',
        'is_same_row', 'is_detected_whole', 'is_column_tracked'
    ) | indent(4) }} as conflict_type
from {{ ref('unit_record_conflict_type_input') }}
