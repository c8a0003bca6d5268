select
    case_name,
    to_json(
        {{ merged_row(
            'keeps_other_columns', 'operation', 'written_columns', 'change_row',
            "named_struct('row', held_values)"
        ) | indent(8) }}
    ) as merged_row,
    {{ rows_differ('held_values', 'change_row') | indent(4) }} as is_other_row,
    {{ rows_differ('held_values', 'change_row', 'written_columns') | indent(4) }} as is_rewritten
from {{ ref('unit_merged_row_input') }}
