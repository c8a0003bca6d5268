-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as losing_operation,
    cast(null as boolean) as are_winners_deletes,
    cast(null as boolean) as are_winners_inserts,
    cast(null as boolean) as is_same_row,
    cast(null as boolean) as is_detected_whole,
    cast(null as boolean) as is_column_tracked
where false
