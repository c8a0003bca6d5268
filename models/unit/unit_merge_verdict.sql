select
    case_name,
    {{ merge_verdict(
        'is_publisher_change', 'conflict_kind', 'failure', 'is_change_winner'
    ) | indent(4) }} as verdict
from {{ ref('unit_merge_verdict_input') }}
