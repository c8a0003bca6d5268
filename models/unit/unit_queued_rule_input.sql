-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as policy,
    cast(null as boolean) as is_publisher_change,
    cast(null as boolean) as is_waiting,
    cast(null as boolean) as has_conflict,
    cast(null as boolean) as is_conflict,
    cast(null as boolean) as has_failure,
    cast(null as {{ failure_type() }}) as failure
where false
