-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as data_type,
    cast(null as string) as kind_met,
    cast(null as string) as change_value,
    cast(null as string) as held_value
where false
