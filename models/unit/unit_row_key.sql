select
    case_name,
    {{ row_key(
        ['shop', 'counter', 'amount'],
        {'shop': 'string', 'counter': 'int', 'amount': 'decimal(6,2)'}
    ) | indent(4) }} as row_key
from {{ ref('unit_row_key_input') }}
