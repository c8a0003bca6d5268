-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as conflict_kind,
    cast(null as boolean) as is_change_loser,
    cast(null as boolean) as is_column_tracked,
    cast(null as boolean) as is_reported
where false
