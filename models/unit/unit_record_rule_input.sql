-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as record_verdict,
    cast(null as boolean) as is_run_row,
    cast(null as string) as outcome,
    cast(null as string) as rule_alone
where false
