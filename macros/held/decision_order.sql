{#- The order in which decisions were taken, over the columns of change_outcomes: run by run, and in a run by the place in the queue. By
    place alone a session that a late change has completed would stand before what was decided before it. -#}
{% macro decision_order() -%}
struct(run_sequence, transaction_position, queue_position)
{%- endmacro %}
