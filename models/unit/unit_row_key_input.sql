-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as shop,
    cast(null as int) as counter,
    cast(null as decimal(6, 2)) as amount
where false
