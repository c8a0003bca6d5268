select
    case_name,
    {{ conflict_id(
        'publication', 'article', 'row_key', 'losing_version', 'winning_version', 'change_id'
    ) | indent(4) }} as conflict_id
from {{ ref('unit_conflict_id_input') }}
