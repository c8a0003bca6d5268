-- one row per conflict, with the columns that merge_decisions has for resolvers
with conflicts as (
    select
        case_name,
        publication,
        article,
        kind_met,
        map('units', '20', 'rate', '60.0', 'note', 'bolt 9') as change_row,
        named_struct('row', map('units', '15', 'rate', '40.0', 'note', 'bolt M8')) as held_row,
        map('units', '10') as previous_values,
        array('units', 'rate', 'note') as written_columns,
        array('units', 'rate', 'note') as contested_columns
    from {{ ref('unit_resolution_of_conflict_input') }}
),

resolved as (
    select
        case_name,
        {{ resolver_of_article() | indent(4) }} as resolver,
        {{ resolution_of_conflict() | indent(4) }} as resolution
    from conflicts
)

select
    case_name,
    resolver,
    resolution.winner,
    if(
        resolution.is_computed,
        concat(resolution.column_name, ' = ', coalesce(resolution.value, 'NULL')),
        null
    ) as becomes,
    resolution.is_waiting,
    resolution.is_overflow
from resolved
