select
    case_name,
    {{ knows_version(
        'lineage', 'known_position', 'node', 'version_node', 'version_number', 'version_position'
    ) | indent(4) }} as knows_version
from {{ ref('unit_knows_version_input') }}
