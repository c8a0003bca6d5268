-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as boolean) as is_run_row,
    cast(null as {{ failure_type() }}) as failure,
    cast(null as boolean) as has_record_failure,
    cast(null as boolean) as is_allowed,
    cast(null as string) as verdict_alone
where false
