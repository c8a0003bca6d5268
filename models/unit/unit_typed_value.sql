select
    case_name,
    {{ typed_value(canonical_text('text_value', 'string'), 'string') }}
    <=> text_value as is_same_text,
    {{ typed_value(canonical_text('whole_value', 'bigint'), 'bigint') }}
    <=> whole_value as is_same_whole,
    {{ typed_value(canonical_text('price_value', 'decimal(10,2)'), 'decimal(10,2)') }}
    <=> price_value as is_same_price,
    {{ typed_value(canonical_text('flag_value', 'boolean'), 'boolean') }}
    <=> flag_value as is_same_flag,
    {{ typed_value(canonical_text('day_value', 'date'), 'date') }}
    <=> day_value as is_same_day,
    {{ typed_value(canonical_text('time_value', 'timestamp'), 'timestamp') }}
    <=> time_value as is_same_time,
    {{ typed_value(canonical_text('measure_value', 'double'), 'double') }}
    <=> measure_value as is_same_measure,
    {{ typed_value(canonical_text('bytes_value', 'binary'), 'binary') }}
    <=> bytes_value as is_same_bytes,
    {{ typed_value(canonical_text('list_value', 'array<int>'), 'array<int>') }}
    <=> list_value as is_same_list,
    {{ typed_value(canonical_text('record_value', 'struct<a:int>'), 'struct<a:int>') }}
    <=> record_value as is_same_record,
    -- five characters are no base64
    {{ typed_value("'abcde'", 'binary') }} is null as is_nothing_of_no_text
from {{ ref('unit_typed_value_input') }}
