-- A decision of a person is kept once, and a conflict is decided once: what comes later is stale.
{%- set decided = ref('decided_conflicts') %}

{% if load_relation(decided) is not none -%}
select
    conflict_id,
    count(*) as decisions,
    count(distinct change_id) as different_decisions,
    count_if(outcome = 'applied') as applied
from {{ decided }}
group by conflict_id
having count(*) <> count(distinct change_id) or count_if(outcome = 'applied') > 1
{%- else -%}
select cast(null as string) as conflict_id
where false
{%- endif %}
