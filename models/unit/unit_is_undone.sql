with changes as (
    select
        *,
        'HQ' as publisher
    from {{ ref('unit_is_undone_input') }}
)

select
    case_name,
    {{ is_undone('to_version') | indent(4) }} as is_undone,
    {{ is_kept_by_node() | indent(4) }} as is_kept,
    {{ is_left_to_snapshot() | indent(4) }} as is_left,
    {{ is_submitted_at_node() | indent(4) }} as is_submitted
from changes
