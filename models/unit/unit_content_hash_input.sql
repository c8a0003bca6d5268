-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as article,
    cast(null as string) as node,
    cast(null as string) as transaction_id,
    cast(null as int) as transaction_change_count,
    cast(null as string) as operation,
    cast(null as timestamp) as changed_at,
    cast(null as map<string, bigint>) as lineage,
    cast(null as bigint) as known_position,
    cast(null as array<string>) as changed_columns,
    cast(null as map<string, string>) as previous_values,
    cast(null as decimal(5, 2)) as priority,
    cast(null as string) as label,
    cast(null as string) as note,
    cast(null as int) as quantity,
    cast(null as map<string, int>) as sizes
where false
