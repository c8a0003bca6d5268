-- one row per change, with the columns that merge_decisions has
with changes as (
    select
        *,
        'c1' as change_id,
        'HQ*' as run_node,
        {{ version_text('node', 'number') }} as version,
        array('name', 'price') as tracked_columns,
        {{ row_writer('75', '9', '9', 'node', 'number', "'c1'") | indent(4) }} as own_writer,
        {{ row_writer('100', '9', '9', "'HQ*'", 'run_number', 'null') | indent(4) }} as run_writer,
        {{ row_state(
            "'south:2'", "'south'", "'s1'", 'false', 'false',
            lineage="map('HQ', 7L, 'south', 2L)",
            merge_version=merge_version(
                row_writer('75', '5', '5', "'south'", '2', "'s1'"),
                "map('south', 2L)",
                column_writers(
                    "map('name', " ~ row_writer('75', '5', '5', "'south'", '2', "'s1'") ~ ')',
                    row_writer('100', '1', '1', "'HQ'", '7', 'null')
                )
            )
        ) | indent(4) }} as held_row
    from {{ ref('unit_merge_state_input') }}
),

states as (
    select
        case_name,
        tracked_columns,
        {{ merge_state(
            'outcome', 'keeps_other_columns', 'is_resolved_row', "map('name', 'nut')", 'held_row'
        ) | indent(8) }} as made
    from changes
)

select
    case_name,
    made.version,
    made.node,
    made.is_deleted,
    to_json(map_from_entries(array_sort(map_entries(made.lineage)))) as lineage,
    to_json(map_from_entries(array_sort(map_entries(made.merge_version.known_as)))) as known_as,
    {{ writer_version('made') }} as writer,
    array_join(
        transform(
            map_entries({{ writers_of_columns(
                'tracked_columns', 'made.merge_version.column_writers'
            ) | indent(12) }}),
            entry -> concat(
                entry.key, ' ', {{ version_text('entry.value.node', 'entry.value.number') }}
            )
        ),
        ', '
    ) as column_writers
from states
