{#- The relation conflict_decisions as a query of input_facts: a row per kind of decision, which is
    the `value`, with one of its conflicts. `unreadable`: a place that is no number; the conflict is
    then one with it. -#}
{% macro people_decision_facts(relation) -%}
{%- set unreadable = replication_conflicts.unreadable_value(
    'conflict_decisions', 'queue_position'
) -%}
select
    {{ replication_conflicts.input_facts("'decision'", {
        'value': 'decision',
        'number': 'count(*)',
        'conflict_id': 'coalesce(max_by(conflict_id, ' ~ unreadable ~ '), min(conflict_id))',
        'unreadable': 'max(' ~ unreadable ~ ')'
    }) }}
from {{ replication_conflicts.in_one_part(relation) }}
group by decision
{%- endmacro %}
