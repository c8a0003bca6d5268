select
    case_name,
    {{ lineage_comparison(
        'lineage', 'known_position', 'node', 'held'
    ) | indent(4) }} as comparison
from {{ ref('unit_lineage_comparison_input') }}
