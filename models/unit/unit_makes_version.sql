select
    case_name,
    {{ makes_version() | indent(4) }} as makes_version
from {{ ref('unit_makes_version_input') }}
