{{ config(materialized='ephemeral') }}

-- One row per conflict: what the publisher held when it was decided, NULL where that was no row.

select
    conflict_id,
    {{ winning_row() }} as winning_row
from {{ ref('change_outcomes') }}
where conflict_id is not null
