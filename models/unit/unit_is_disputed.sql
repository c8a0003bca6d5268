-- one row per change of the price, with the columns that change_queue has. Held is south:2, or was
with changes as (
    select
        *,
        'north' as node,
        cast(null as bigint) as known_position,
        array('price') as written_columns,
        case
            when is_held_deleted is not null then {{ row_state(
                "if(is_held_deleted, null, 'south:2')", "'south'", "'s1'", 'is_held_deleted',
                'false',
                lineage="map('south', 2L)",
                merge_version=merge_version(
                    row_writer('75', '5', '5', "'south'", '2', "'s1'"),
                    "map('south', 2L)",
                    all_writers(row_writer('75', '5', '5', "'south'", '2', "'s1'"))
                ),
                row="map('name', 'bolt', 'price', '1')"
            ) | indent(12) }}
        end as held_before_run
    from {{ ref('unit_is_disputed_input') }}
)

select
    case_name,
    {{ is_disputed(false) | indent(4) }} as is_disputed,
    {{ is_disputed(true) | indent(4) }} as is_disputed_with_interventions
from changes
