with decided as (
    select * from {{ ref('unit_settled_positions_input') }}
)

{{ settled_positions('decided') }}
