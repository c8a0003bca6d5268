-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as replication,
    cast(null as string) as policy,
    cast(null as string) as node,
    cast(null as string) as rule,
    cast(null as string) as outcome,
    cast(null as boolean) as is_written,
    cast(null as string) as new_version,
    cast(null as string) as publisher_version,
    cast(null as string) as to_version,
    cast(null as boolean) as is_kept_at_node,
    cast(null as boolean) as compensate_for_errors,
    cast(null as boolean) as is_downloaded
where false
