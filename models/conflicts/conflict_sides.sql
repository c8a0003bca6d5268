{{ config(materialized='ephemeral') }}

-- One row per conflict: the row that lost, NULL where a delete did, and what the publisher held
-- when it was decided, NULL where that was no row.

select
    conflict_id,
    {{ lost_row() }} as lost_row,
    {{ winning_row() }} as winning_row
from {{ ref('change_outcomes') }}
where conflict_id is not null
