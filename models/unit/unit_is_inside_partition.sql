select
    case_name,
    {{ is_inside_partition('partitions_with_row', 'subscriber') | indent(4) }} as is_inside
from {{ ref('unit_is_inside_partition_input') }}
