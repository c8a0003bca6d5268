select
    case_name,
    {{ makes_version(has_records=true) | indent(4) }} as makes_version
from {{ ref('unit_makes_version_input') }}
