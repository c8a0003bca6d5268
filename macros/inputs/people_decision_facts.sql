{#- The relation conflict_decisions as a query of input_facts: a row per kind of decision, which is the `value`, with one of its
    conflicts. `unreadable`: a place that is no number. -#}
{% macro people_decision_facts(relation) -%}
select
    {{ replication_conflicts.input_facts("'decision'", {
        'value': 'decision',
        'number': 'count(*)',
        'conflict_id': 'min(conflict_id)',
        'unreadable': 'max(' ~ replication_conflicts.unreadable_value('conflict_decisions', 'queue_position') ~ ')'
    }) }}
from {{ replication_conflicts.in_one_part(relation) }}
group by decision
{%- endmacro %}
