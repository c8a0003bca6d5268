-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as publication,
    cast(null as string) as article,
    cast(null as string) as operation,
    cast(null as boolean) as is_obsolete,
    cast(null as boolean) as is_run_row,
    cast(null as string) as record_verdict,
    cast(null as map<string, string>) as changed_row,
    cast(null as struct<from_position: bigint, until_position: bigint>) as span,
    cast(null as bigint) as session_end
where false
