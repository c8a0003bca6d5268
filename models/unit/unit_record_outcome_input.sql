-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as boolean) as is_change,
    cast(null as string) as record_verdict,
    cast(null as {{ failure_type() }}) as failure,
    cast(null as boolean) as has_record_failure,
    cast(null as boolean) as is_allowed,
    cast(null as boolean) as is_opponent,
    cast(null as boolean) as is_publisher_change,
    cast(null as string) as outcome_alone
where false
