select
    case_name,
    {{ has_version(
        'replication', 'operation', 'old_version', 'new_version', 'lineage', 'known_position',
        'node'
    ) | indent(4) }} as has_version
from {{ ref('unit_has_version_input') }}
