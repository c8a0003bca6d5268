-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as conflict_kind,
    cast(null as int) as conflict_type,
    cast(null as string) as rule,
    cast(null as string) as article,
    cast(null as string) as row_key,
    cast(null as string) as loser_node,
    cast(null as string) as loser_change_id,
    cast(null as string) as winner_node,
    cast(null as string) as winner_change_id,
    cast(null as string) as failed_constraint,
    cast(null as string) as node,
    cast(null as boolean) as is_written
where false
