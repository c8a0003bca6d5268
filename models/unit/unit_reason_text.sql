select
    case_name,
    {{ reason_text(
        conflict_kind='conflict_kind', conflict_type='conflict_type', rule='rule',
        article='article', row_key='row_key', loser_node='loser_node',
        loser_change_id='loser_change_id', winner_node='winner_node',
        winner_change_id='winner_change_id', failed_constraint='failed_constraint', node='node',
        is_written='is_written'
    ) | indent(4) }} as reason_text
from {{ ref('unit_reason_text_input') }}
