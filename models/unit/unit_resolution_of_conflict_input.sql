-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as publication,
    cast(null as string) as article,
    cast(null as string) as kind_met
where false
