{#- Why a change of the queue breaks the feed contract (contract_violation), over the columns that
    change_intake has for it, of `relation` where several are read. It is asked twice: first without
    ages, which depend on the clock that changes without a violation set. -#}
{% macro violation_in_queue(is_expired, relation='') -%}
{{ replication_conflicts.contract_violation(
    change_id=relation ~ 'change_id',
    is_known_node=relation ~ 'is_known_node',
    operation=replication_conflicts.operation_of_contract(relation),
    has_null_key=relation ~ 'row_key is null',
    has_unknown_column='coalesce(' ~ relation ~ 'has_unknown_column, false)',
    has_version=relation ~ 'has_version',
    has_invalid_priority=relation ~ 'has_invalid_priority',
    is_duplicate=relation ~ 'other_content is not null',
    is_late=relation ~ 'is_late',
    is_expired=is_expired,
    queue_position=relation ~ 'queue_position',
    is_in_future=relation ~ 'is_in_future'
) }}
{%- endmacro %}
