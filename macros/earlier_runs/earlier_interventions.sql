{#- Decisions of people and refused commands that an earlier run has seen, with their places in the
    queue, as a query: intervention_id, publication, transaction_position, queue_position. -#}
{% macro earlier_interventions() -%}
{%- if replication_conflicts.held_relation('intervention_log') -%}
select
    intervention_id,
    publication,
    transaction_position,
    queue_position
from {{ source('held', 'intervention_log') }}
{%- else -%}
{{ replication_conflicts.empty_relation({
    'intervention_id': 'string', 'publication': 'string', 'transaction_position': 'bigint',
    'queue_position': 'bigint'
}) }}
{%- endif -%}
{%- endmacro %}
