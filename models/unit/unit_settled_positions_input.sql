-- No rows: the unit tests give theirs.
select
    cast(null as string) as publication,
    cast(null as bigint) as transaction_position,
    cast(null as boolean) as is_unsettled
where false
