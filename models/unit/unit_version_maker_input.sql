-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as boolean) as is_written,
    cast(null as string) as version_node,
    cast(null as string) as version_change_id,
    cast(null as string) as held_node,
    cast(null as string) as held_change_id,
    cast(null as string) as publisher
where false
