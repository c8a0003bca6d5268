-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as outcome,
    cast(null as boolean) as is_resolved_row,
    cast(null as string) as held_row,
    cast(null as boolean) as is_run_row,
    cast(null as boolean) as is_obsolete,
    cast(null as boolean) as is_condemned
where false
