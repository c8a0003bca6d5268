-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as outcome,
    cast(null as boolean) as is_publisher_change,
    cast(null as boolean) as is_conflict,
    cast(null as string) as resolver
where false
