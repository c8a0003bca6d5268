-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as replication,
    cast(null as string) as operation,
    cast(null as string) as old_version,
    cast(null as string) as new_version,
    cast(null as map<string, bigint>) as lineage,
    cast(null as bigint) as known_position,
    cast(null as string) as node
where false
