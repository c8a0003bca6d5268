{#- Changes of this run with what they carried, beside what the queue says of them, as a query: all
    columns of incoming_changes, and violation, contending_priority, transaction_key and
    run_sequence of change_queue.
    Ids that are met twice are told apart by what is in the changes.

    condition: over the columns of change_queue, as `queue`; an SQL expression -#}
{% macro changes_at_intake(condition) -%}
select
    arrived.*,
    queue.violation,
    queue.contending_priority,
    queue.transaction_key,
    queue.run_sequence
from {{ ref('change_queue') }} as queue
inner join {{ ref('incoming_changes') }} as arrived
    on
        queue.publication = arrived.publication
        and queue.change_key = arrived.change_key
        and queue.other_content <=> arrived.other_content
where
    {{ condition }}
    and queue.run_id = '{{ invocation_id }}'
    and arrived.run_id = '{{ invocation_id }}'
{%- endmacro %}
