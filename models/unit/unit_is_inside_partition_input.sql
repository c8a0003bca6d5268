-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as subscriber,
    cast(null as array<string>) as filtered_subscribers,
    cast(null as array<string>) as partitions_with_row
where false
