-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as subscription_type,
    cast(null as decimal(5, 2)) as priority
where false
