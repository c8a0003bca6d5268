select
    case_name,
    {{ merge_rule(
        'outcome', 'is_publisher_change', 'is_conflict', 'resolver'
    ) | indent(4) }} as rule
from {{ ref('unit_merge_rule_input') }}
