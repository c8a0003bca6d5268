-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as operation,
    cast(null as string) as comparison,
    cast(null as boolean) as is_row_held
where false
