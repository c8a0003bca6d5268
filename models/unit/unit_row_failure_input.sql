-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as publication,
    cast(null as string) as article,
    cast(null as string) as node,
    cast(null as string) as operation,
    cast(null as map<string, string>) as changed_row,
    cast(null as map<string, string>) as held_row
where false
