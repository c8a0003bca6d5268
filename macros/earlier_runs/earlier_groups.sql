{#- Which transaction a change was of when it was decided, as a query: publication, change_id,
    transaction_position and place_behind, its place where it was taken behind another one. When
    the log is rebuilt, what was one transaction stays one, at its place: those without a count
    that came in different deliveries stay apart. `log`: the log that is rebuilt; none: nothing
    was decided before. -#}
{% macro earlier_groups(log) -%}
{%- if log -%}
select
    publication,
    change_id,
    transaction_position,
    if(queue_position > transaction_position, queue_position, null) as place_behind
from {{ source('held', 'change_outcomes') }}
{%- else -%}
{{ replication_conflicts.empty_relation({
    'publication': 'string', 'change_id': 'string', 'transaction_position': 'bigint',
    'place_behind': 'bigint'
}) }}
{%- endif -%}
{%- endmacro %}
