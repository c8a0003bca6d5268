select
    case_name,
    {{ canonical_text('text_value', 'string') }} as text_text,
    {{ canonical_text('code_value', 'char(5)') }} as code_text,
    {{ canonical_text('whole_value', 'bigint') }} as whole_text,
    {{ canonical_text('price_value', 'decimal(10,2)') }} as price_text,
    {{ canonical_text('share_value', 'decimal(18,8)') }} as share_text,
    {{ canonical_text('flag_value', 'boolean') }} as flag_text,
    {{ canonical_text('day_value', 'date') }} as day_text,
    {{ canonical_text('time_value', 'timestamp') }} as time_text,
    {{ canonical_text('measure_value', 'double') }} as measure_text,
    {{ canonical_text('bytes_value', 'binary') }} as bytes_text,
    {{ canonical_text('list_value', 'array<int>') }} as list_text,
    {{ canonical_text('record_value', 'struct<a:int>') }} as record_text,
    {{ canonical_text('map_value', 'map<string,int>') }} as map_text,
    {{ canonical_text(
        'nested_value', 'struct<A:array<map<int, map<string,int>>>,b:int>'
    ) | indent(4) }} as nested_text
from {{ ref('unit_canonical_text_input') }}
