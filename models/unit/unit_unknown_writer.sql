select
    case_name,
    ({{ unknown_writer(
        'lineage', 'known_position', 'node', 'held'
    ) | indent(4) }}).change_id as unknown_writer
from {{ ref('unit_unknown_writer_input') }}
