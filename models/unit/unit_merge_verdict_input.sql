-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as boolean) as is_publisher_change,
    cast(null as string) as conflict_kind,
    cast(null as {{ failure_type() }}) as failure,
    cast(null as boolean) as is_change_winner
where false
