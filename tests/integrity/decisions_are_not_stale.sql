-- Decisions of people that could not be applied within the last day: their conflict had been
-- decided already, its row had changed since, or it is one of queued updating, which can only be
-- removed. The conflict is where it was; somebody should look at it again.
{{ config(severity='warn') }}
{%- set decided = ref('decided_conflicts') %}

{% if load_relation(decided) is not none -%}
select * from {{ decided }}
where
    outcome = 'stale'
    and decided_at >= current_timestamp() - interval 1 day
{%- else -%}
select cast(null as string) as conflict_id
where false
{%- endif %}
