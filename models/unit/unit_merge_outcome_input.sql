-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as verdict,
    cast(null as string) as comparison,
    cast(null as string) as operation,
    cast(null as boolean) as is_row_held,
    cast(null as boolean) as is_conflict,
    cast(null as boolean) as is_same_value,
    cast(null as boolean) as is_waiting_for_person,
    cast(null as boolean) as is_merged
where false
