select
    case_name,
    to_json({{ version_maker(
        'is_written', 'version_node', 'version_change_id', 'held_node', 'held_change_id',
        'publisher'
    ) | indent(4) }}) as version_maker
from {{ ref('unit_version_maker_input') }}
