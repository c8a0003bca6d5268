-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as publication,
    cast(null as string) as article,
    cast(null as string) as row_key,
    cast(null as string) as losing_version,
    cast(null as string) as winning_version,
    cast(null as string) as change_id
where false
