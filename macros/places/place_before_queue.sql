{#- A session_place before every queue: of what was there at first. -#}
{% macro place_before_queue() -%}
struct(
    {{ replication_conflicts.before_queue() }} as transaction_position,
    {{ replication_conflicts.before_queue() }} as session_end
)
{%- endmacro %}
