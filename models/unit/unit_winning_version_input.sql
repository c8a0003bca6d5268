-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as replication,
    cast(null as string) as outcome,
    cast(null as string) as failure,
    cast(null as string) as record_winner_version,
    cast(null as string) as publisher_version
where false
