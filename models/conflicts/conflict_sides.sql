{{ config(materialized='ephemeral') }}

-- One row per conflict: the row that lost, and what the publisher held when it was decided, NULL
-- where that was no row.

select
    conflict_id,
    if({{ is_change_loser() }}, change_row, held_row) as lost_row,
    {{ winning_row() }} as winning_row
from {{ ref('change_outcomes') }}
where conflict_id is not null
