select
    case_name,
    {{ intervention_outcome(
        'kind', 'is_gone', 'is_writing', 'settled_version', 'held_version', 'is_row_held',
        'replication'
    ) | indent(4) }} as outcome
from {{ ref('unit_intervention_outcome_input') }}
