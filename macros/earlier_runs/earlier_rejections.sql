{#- Sessions of merge replication with changes that were rejected before, as a query: publication,
    node, transaction_id, rejected_changes and last_position. They count towards their session when
    the log is rebuilt, and where the run that rejected them died before the others of the session
    were in the log.

    rejected  rejected_changes as the last run left it; none: nothing counts
    since     the run of this number and those that died before it are meant, where they took others
              of the session; none: all -#}
{% macro earlier_rejections(rejected, since=none) -%}
{%- if rejected -%}
select
    publication,
    node,
    transaction_id,
    count(*) as rejected_changes,
    max(queue_position) as last_position
from {{ source('held', 'rejected_changes') }}
where
    reason <> 'transaction'
    and not is_outside_transaction
    {%- if since is not none %}
    and taken_changes > 0
    and run_sequence >= {{ since }}
    {%- endif %}
group by publication, node, transaction_id
{%- else -%}
{{ replication_conflicts.empty_relation({
    'publication': 'string', 'node': 'string', 'transaction_id': 'string',
    'rejected_changes': 'bigint', 'last_position': 'bigint'
}) }}
{%- endif -%}
{%- endmacro %}
