-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as publication,
    cast(null as string) as replication,
    cast(null as boolean) as is_contended,
    cast(null as string) as operation,
    cast(null as string) as old_version,
    cast(null as map<string, bigint>) as lineage,
    cast(null as array<string>) as tracked_columns,
    cast(null as map<string, string>) as change_row,
    cast(null as boolean) as is_held_deleted
where false
