-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as publication,
    cast(null as string) as article,
    cast(null as map<string, string>) as changed_row
where false
