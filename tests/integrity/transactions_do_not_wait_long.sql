-- Transactions that have waited for the rest of their changes for more than a day: a change has
-- been lost on its way, the count is wrong, or the transaction was decided when it had as many
-- changes as it names, and this is one more. Nothing of it is decided until somebody delivers what
-- it lacks.
{{ config(severity='warn', group='decision') }}
{%- set waiting = ref('waiting_changes') %}
{%- set queue = ref('change_queue') %}

{% if load_relation(waiting) is not none and load_relation(queue) is not none -%}
-- what has waited stays recorded; who waits still is in the queue of the last run
with

waiting as (
    select waiting_changes.*
    from {{ waiting }} as waiting_changes
    left semi join {{ queue }} as change_queue
        on
            change_queue.intake = 'waiting'
            and waiting_changes.publication = change_queue.publication
            and waiting_changes.change_key = change_queue.change_key
),

final as (
    select
        publication,
        node,
        transaction_id,
        max(transaction_change_count) as transaction_change_count,
        count(distinct change_key) as changes_that_wait,
        min(first_seen_at) as first_seen_at
    from waiting
    where first_seen_at < {{ run_time() }} - interval 1 day
    group by publication, node, transaction_id
)

select * from final
{%- else -%}
select cast(null as string) as transaction_id
where false
{%- endif %}
