{#- The priorities with which changes of merge replication contend, as a query: publication,
    change_id, priority, one row per change. It is the one that the subscription had when a run
    first saw the change, be that decided since or waiting; while it waited it may have been
    delivered with a correction. `log`: the log that is rebuilt, `waited`: waiting_changes as the
    last run left it; none where there is none. -#}
{% macro earlier_priorities(log, waited) -%}
{%- if log -%}
select
    publication,
    change_id,
    priority
from {{ source('held', 'change_outcomes') }}
where priority is not null
{%- endif -%}
{%- if log and waited %}
union all
{% endif -%}
{%- if waited -%}
select
    waiting.publication,
    waiting.change_id,
    min_by(waiting.priority, waiting.first_seen_at) as priority
from {{ source('held', 'waiting_changes') }} as waiting
{%- if log %}
left anti join {{ source('held', 'change_outcomes') }} as decided
    on
        waiting.publication = decided.publication
        and waiting.change_id = decided.change_id
{%- endif %}
where
    waiting.priority is not null
    and not waiting.is_other_content
group by waiting.publication, waiting.change_id
{%- endif -%}
{%- if not log and not waited -%}
{{ replication_conflicts.empty_relation({
    'publication': 'string', 'change_id': 'string', 'priority': 'decimal(5, 2)'
}) }}
{%- endif -%}
{%- endmacro %}
