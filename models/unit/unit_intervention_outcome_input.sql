-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as kind,
    cast(null as boolean) as is_gone,
    cast(null as boolean) as is_writing,
    cast(null as string) as settled_version,
    cast(null as string) as held_version,
    cast(null as boolean) as is_row_held,
    cast(null as string) as replication
where false
