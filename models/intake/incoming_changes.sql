{{ config(materialized='kept_view') }}
{%- set as_it_came = change_columns() + ['change_key', 'run_id'] %}

-- Every change in the feeds that no earlier run has decided or rejected, once. A second copy of a
-- change is left out; another change with the same id stays and is marked.

with

-- one row per change whose id is met nowhere else
unheard as (
    select
        {{ as_it_came | join(',\n        ') }},
        false as was_seen,
        false as was_late,
        cast(null as bigint) as other_content,
        false as is_outside_transaction
    from {{ ref('arrived_changes') }}
    where not is_repeated
),

repeated as (
    select
        {{ as_it_came | join(',\n        ') }},
        was_seen,
        was_late,
        other_content,
        is_outside_transaction
    from {{ ref('repeated_changes') }}
)

select * from unheard
union all
select * from repeated
