select
    case_name,
    {{ record_change_verdict(
        'is_run_row', 'failure', 'has_record_failure', 'is_allowed', 'verdict_alone'
    ) | indent(4) }} as verdict
from {{ ref('unit_record_change_verdict_input') }}
