select
    case_name,
    {{ winning_version(
        'replication', 'outcome', 'failure', 'record_winner_version', 'publisher_version'
    ) | indent(4) }} as winning_version
from {{ ref('unit_winning_version_input') }}
