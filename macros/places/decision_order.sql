{#- The order in which decisions were taken, over the columns of change_outcomes, of the relation
    `outcomes` where several are read: run by run, and in a run by the place in the queue. By place
    alone a session that a late change has completed would stand before what was decided before it.
    Changes that share a place go by their ids. -#}
{% macro decision_order(outcomes=none) -%}
{%- set prefix = outcomes ~ '.' if outcomes else '' -%}
struct(
    {{ prefix }}run_sequence,
    {{ prefix }}transaction_position,
    {{ prefix }}queue_position,
    {{ prefix }}change_id
)
{%- endmacro %}
