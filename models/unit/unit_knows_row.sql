select
    case_name,
    {{ knows_row(
        'lineage', 'known_position', 'node', 'held'
    ) | indent(4) }} as is_known
from {{ ref('unit_knows_row_input') }}
