select
    case_name,
    {{ has_version('operation', 'old_version', 'new_version') | indent(4) }} as has_version
from {{ ref('unit_has_version_input') }}
