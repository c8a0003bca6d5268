-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as number_text
where false
