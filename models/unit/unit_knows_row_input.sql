-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as map<string, bigint>) as lineage,
    cast(null as bigint) as known_position,
    cast(null as string) as node,
    cast(null as {{ row_state_type() }}) as held
where false
