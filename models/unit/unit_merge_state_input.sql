-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as outcome,
    cast(null as string) as operation,
    cast(null as boolean) as keeps_other_columns,
    cast(null as boolean) as is_resolved_row,
    cast(null as array<string>) as standing_columns,
    cast(null as map<string, bigint>) as lineage,
    cast(null as string) as node,
    cast(null as bigint) as number,
    cast(null as bigint) as run_number
where false
