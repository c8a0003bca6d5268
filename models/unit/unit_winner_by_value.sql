{%- set resolvers = ['maximum', 'minimum', 'priority_column', 'later_wins', 'earlier_wins'] -%}
{%- set types = ['int', 'decimal(10,2)', 'double', 'date', 'timestamp', 'string'] -%}

-- one row per conflict, with the columns that merge_decisions has for resolvers
with conflicts as (
    select
        case_name,
        data_type,
        kind_met,
        map('named', change_value) as change_row,
        named_struct('row', map('named', held_value)) as held_row
    from {{ ref('unit_winner_by_value_input') }}
)

select
    {%- for name in resolvers %}
    case data_type
        {%- for data_type in types if data_type.split('(')[0] in resolver_rules()[name].types %}
        when '{{ data_type }}'
            then {{ package_resolver(name)(resolver_arguments(
                {'options': {'columns': {'named': data_type}}}, {'name': name, 'column': 'named'}
            )) | indent(12) }}.winner
        {%- endfor %}
        else '-'
    end as {{ name }},
    {%- endfor %}
    case_name
from conflicts
