-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as array<string>) as written_columns,
    cast(null as map<string, string>) as change_row,
    cast(null as map<string, string>) as held_values
where false
