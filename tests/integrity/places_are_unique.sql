-- Places of the queue that several changes have: the contract says that each has its own, and which
-- of them came first is not known.
{{ config(severity='warn') }}

with

-- without the other rows of logical records, which have no place of their own, and what was taken
-- behind a place that the queue had passed
changes as (
    select * from {{ ref('change_outcomes') }}
    where
        {{ is_tested(ref('change_outcomes')) }}
        and {{ is_decided_change() }}
        and queue_position <= transaction_position
)

select
    publication,
    queue_position,
    count(*) as change_count,
    array_sort(collect_set(node)) as nodes
from changes
group by publication, queue_position
having count(*) > 1
