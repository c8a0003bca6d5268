-- Reports of refused commands that no run can take: they name a command that the project has not
-- written, or not for this subscriber, or a row that the publisher could not publish.
-- depends_on: {{ ref('apply_errors') if has_apply_errors() else '' }}
{{ config(severity='warn') }}
{%- set log = ref('intervention_log') %}

{% if has_apply_errors() and load_relation(log) is not none -%}
select reports.*
from {{ ref('apply_errors') }} as reports
left anti join {{ log }} as taken
    on
        reports.publication = taken.publication
        and {{ refusal_id('reports') }} = taken.intervention_id
{%- else -%}
select cast(null as string) as command_id
where false
{%- endif %}
