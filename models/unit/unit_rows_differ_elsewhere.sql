select
    case_name,
    {{ rows_differ_elsewhere('held_values', 'change_row', 'written_columns') | indent(4) }}
        as differ_elsewhere
from {{ ref('unit_rows_differ_elsewhere_input') }}
