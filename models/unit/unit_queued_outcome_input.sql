-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as verdict,
    cast(null as {{ failure_type() }}) as failure,
    cast(null as string) as operation,
    cast(null as boolean) as is_row_held,
    cast(null as boolean) as is_conflict
where false
