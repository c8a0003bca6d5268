select
    case_name,
    {{ loses_digits('number_text', 'cast(number_text as int)', 'int') | indent(4) }} as in_int,
    {{ loses_digits(
        'number_text', 'cast(number_text as decimal(10, 2))', 'decimal(10,2)'
    ) | indent(4) }} as in_decimal,
    {{ loses_digits(
        'number_text', 'cast(number_text as decimal(38, 20))', 'decimal(38,20)'
    ) | indent(4) }} as in_long_decimal,
    {{ loses_digits(
        'number_text', 'cast(number_text as decimal(38, 2))', 'decimal(38,2)'
    ) | indent(4) }} as in_wide_decimal
from {{ ref('unit_loses_digits_input') }}
