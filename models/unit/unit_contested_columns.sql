select
    case_name,
    array_join(map_keys(
        {{ contested_columns(
            'lineage', 'known_position', 'node', 'written_columns', 'held'
        ) | indent(8) }}
    ), ', ') as contested_columns
from {{ ref('unit_contested_columns_input') }}
