select
    case_name,
    {{ version_comparison(
        'operation', 'old_version', 'held_version'
    ) | indent(4) }} as comparison
from {{ ref('unit_version_comparison_input') }}
