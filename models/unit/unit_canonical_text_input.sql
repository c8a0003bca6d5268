-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as text_value,
    cast(null as bigint) as whole_value,
    cast(null as decimal(10, 2)) as price_value,
    cast(null as decimal(18, 8)) as share_value,
    cast(null as boolean) as flag_value,
    cast(null as date) as day_value,
    cast(null as timestamp) as time_value,
    cast(null as double) as measure_value,
    cast(null as binary) as bytes_value,
    cast(null as array<int>) as list_value,
    cast(null as struct<a: int>) as record_value,
    cast(null as map<string, int>) as map_value,
    cast(null as struct<a: array<map<int, map<string, int>>>, b: int>) as nested_value
where false
