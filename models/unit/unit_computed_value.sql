{%- set resolvers = ['additive', 'averaging', 'additive_delta', 'merge_text'] -%}
{%- set types = [
    'tinyint', 'int', 'bigint', 'decimal(10,2)', 'decimal(12,8)', 'decimal(38,0)', 'float',
    'double', 'string'
] -%}

-- one row per conflict, with the columns that merge_decisions has for resolvers
with conflicts as (
    select
        case_name,
        data_type,
        kind_met,
        previous_values,
        map('named', change_value) as change_row,
        named_struct('row', map('named', held_value)) as held_row,
        if(is_changed, array('named'), array()) as written_columns,
        if(is_in_conflict, array('named'), array()) as contested_columns
    from {{ ref('unit_computed_value_input') }}
),

resolved as (
    select
        {%- for name in resolvers %}
        case data_type
            {%- for data_type in types if data_type.split('(')[0] in resolver_rules()[name].types %}
            when '{{ data_type }}'
                then {{ package_resolver(name)(resolver_arguments(
                    {'options': {'columns': {'named': data_type}, 'tracking': 'column'}},
                    {'name': name, 'column': 'named', 'separator': '=='}
                )) | indent(16) }}
            {%- endfor %}
        end as {{ name }},
        {%- endfor %}
        case_name,
        data_type
    from conflicts
)

select
    case_name,
    {%- for name in resolvers %}
    case
        when {{ name }} is null then '-'
        when {{ name }}.winner is not null then {{ name }}.winner
        when {{ name }}.is_overflow then 'overflow'
        when {{ name }}.is_computed then coalesce({{ name }}.value, 'NULL')
        else 'by priority'
    end as {{ name }},
    {%- endfor %}
    data_type
from resolved
