select
    case_name,
    {{ contract_violation(
        change_id='change_id', is_known_node='is_known_node', operation='operation',
        has_null_key='has_null_key', has_unknown_column='has_unknown_column',
        has_version='has_version', has_invalid_priority='has_invalid_priority',
        is_duplicate='is_duplicate', is_late='is_late', is_expired='is_expired',
        queue_position='queue_position', is_in_future='is_in_future'
    ) | indent(4) }} as violation
from {{ ref('unit_contract_violation_input') }}
