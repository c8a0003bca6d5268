-- No rows: the unit tests give theirs.
select
    cast(null as string) as case_name,
    cast(null as string) as publication,
    cast(null as string) as article,
    cast(null as string) as operation,
    cast(null as boolean) as is_obsolete,
    cast(null as boolean) as is_run_row,
    cast(null as string) as record_verdict,
    cast(null as boolean) as is_row_held,
    cast(null as boolean) as is_same_value,
    cast(null as string) as comparison,
    cast(null as boolean) as is_publisher_change,
    cast(null as string) as verdict,
    cast(null as map<string, string>) as changed_row,
    cast(
        null as struct<
            from_place: struct<transaction_position: bigint, session_end: bigint>,
            until_place: struct<transaction_position: bigint, session_end: bigint>
        >
    ) as span,
    cast(null as bigint) as transaction_position,
    cast(null as bigint) as session_end
where false
