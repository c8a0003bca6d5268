-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as map<string, bigint>) as lineage,
    cast(null as bigint) as known_position,
    cast(null as string) as node,
    cast(null as string) as version_node,
    cast(null as bigint) as version_number,
    cast(null as bigint) as version_position
where false
