select
    case_name,
    to_json({{ row_failure('changed_row', 'held_row') | indent(4) }}) as failure,
    array_join({{ partition_members('changed_row') | indent(4) }}, ', ') as subscribers
from {{ ref('unit_row_failure_input') }}
