{{ config(materialized='table') }}

-- How many changes of nodes were judged again.

with

judged as (select * from {{ ref('change_outcomes') }}),

final as (
    select
        publication,
        count(*) as judged_count
    from judged
    where
        publication = '{{ var("what_if", {}).publication }}'
        and {{ is_decided_change() }}
    group by publication
)

select * from final
