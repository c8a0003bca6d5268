-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as change_id,
    cast(null as boolean) as is_known_node,
    cast(null as string) as operation,
    cast(null as boolean) as has_null_key,
    cast(null as boolean) as has_unknown_column,
    cast(null as boolean) as has_version,
    cast(null as boolean) as has_invalid_priority,
    cast(null as boolean) as is_duplicate,
    cast(null as boolean) as is_late,
    cast(null as boolean) as is_expired,
    cast(null as bigint) as queue_position,
    cast(null as boolean) as is_in_future
where false
