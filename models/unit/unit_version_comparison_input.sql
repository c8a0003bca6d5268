-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as operation,
    cast(null as string) as old_version,
    cast(null as string) as held_version
where false
