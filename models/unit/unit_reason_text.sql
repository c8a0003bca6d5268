select
    case_name,
    {{ reason_text(
        'conflict_kind', 'conflict_type', 'rule', 'article', 'row_key', 'loser_node',
        'winner_node', 'failed_constraint', 'node'
    ) | indent(4) }} as reason_text
from {{ ref('unit_reason_text_input') }}
