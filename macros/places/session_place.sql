{#- Where a session, or transaction, stands among all: behind a place of the queue, what people
    decide and sessions that the queue had passed come one after the other, and all of them after
    the session that ends there. A struct; sessions are taken in its order. Over the columns
    transaction_position and session_end, of `relation` where several are read. -#}
{% macro session_place(relation=none) -%}
{%- set prefix = relation ~ '.' if relation else '' -%}
struct({{ prefix }}transaction_position, {{ prefix }}session_end)
{%- endmacro %}
