{#- Events of subscriptions as a query of input_facts: a row per subscription and event, which is the `value`. `subject`: 'event' for
    those that are given, 'logged event' for those that earlier runs have taken. -#}
{% macro event_facts(subject, relation) -%}
select
    {{ replication_conflicts.input_facts("'" ~ subject ~ "'", {
        'publication': 'publication', 'subscriber': 'subscriber', 'value': 'event', 'number': 'count(*)'
    }) }}
from {{ replication_conflicts.in_one_part(relation) }}
group by publication, subscriber, event
{%- endmacro %}
