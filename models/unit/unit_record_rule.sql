select
    case_name,
    {{ record_rule(
        'record_verdict', 'is_run_row', 'outcome', 'rule_alone'
    ) | indent(4) }} as deciding_rule
from {{ ref('unit_record_rule_input') }}
