{#- What a row of the queue is beside a change, an intervention_type; NULL: a change. The queue of a run has the column only where
    the run has interventions. -#}
{% macro acting_intervention() -%}
    {{ return(
        'intervention' if replication_conflicts.has_interventions()
        else 'cast(null as ' ~ replication_conflicts.intervention_type() ~ ')'
    ) }}
{%- endmacro %}
