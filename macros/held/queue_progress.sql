{#- How far earlier runs have taken the queue, as a query: publication, last_position, clock (the newest change of all, by which ages
    are measured). A change that kept the contract counts for the clock also when it was rejected with its transaction; what people
    decided and subscribers refused are no changes.
      log, rejected   the decision log and the rejected changes as the last run left them, or none -#}
{% macro queue_progress(log, rejected) -%}
{% if log -%}
select
    publication,
    max(last_position) as last_position,
    max(changed_at) as clock
from (
    select
        publication,
        transaction_position as last_position,
        changed_at
    from {{ log }}
    {%- if replication_conflicts.held_relation('intervention_log') %}
    where not {{ replication_conflicts.is_intervention() }}
    {%- endif %}
    {%- if rejected %}
    union all
    select
        publication,
        cast(null as bigint) as last_position,
        changed_at
    from {{ rejected }}
    where reason = 'transaction'
    {%- endif %}
)
group by publication
{%- else -%}
select
    cast(null as string) as publication,
    cast(null as bigint) as last_position,
    cast(null as timestamp) as clock
where false
{%- endif %}
{%- endmacro %}
