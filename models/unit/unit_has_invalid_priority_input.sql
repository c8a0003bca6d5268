-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as boolean) as is_publisher_change,
    cast(null as decimal(5, 2)) as stamped
where false
