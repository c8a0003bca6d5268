{#- Every change that an earlier run knows, by what was in it, as a query: publication, change_key,
    content_hash, node, transaction_id and earlier_status: 'decided', 'waiting' for the rest of its
    transaction, 'waiting_late' where it came late, or, of a change with the id of another one,
    'copy' and 'waiting_copy'. A rejection stands also when the log is rebuilt, a change that was
    late is 'late', and one that is decided once more is 'rebuilt'.

    log: the decision log as the last run left it, or none.  rebuilt_log: the one that is
    rebuilt, or none -#}
{% macro known_changes(log, rebuilt_log=none) -%}
{% if log or rebuilt_log -%}
select
    publication,
    change_id as change_key,
    content_hash,
    node,
    transaction_id,
    '{{ 'decided' if log else 'rebuilt' }}' as earlier_status
from {{ source('held', 'change_outcomes') }}
union all
{% endif -%}
{% if replication_conflicts.held_relation('rejected_changes') -%}
select
    publication,
    change_key,
    content_hash,
    node,
    transaction_id,
    if(is_other_content, 'copy', 'decided') as earlier_status
from {{ source('held', 'rejected_changes') }}
union all
{% endif -%}
{% if replication_conflicts.held_relation('waiting_changes') -%}
select
    publication,
    change_key,
    content_hash,
    node,
    transaction_id,
    {% if flags.FULL_REFRESH -%}
    'late' as earlier_status
    {%- else -%}
    case
        when is_other_content then 'waiting_copy'
        when is_late then 'waiting_late'
        else 'waiting'
    end as earlier_status
    {%- endif %}
from {{ source('held', 'waiting_changes') }}
{%- if flags.FULL_REFRESH %}
where is_late
{%- endif %}
{%- else -%}
{{ replication_conflicts.empty_relation({
    'publication': 'string', 'change_key': 'string', 'content_hash': 'bigint', 'node': 'string',
    'transaction_id': 'string', 'earlier_status': 'string'
}) }}
{%- endif %}
{%- endmacro %}
