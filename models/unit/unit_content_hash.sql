-- one row per case: how many changes content_hash makes of its rows, also where a column is wider,
-- and where there is one more and they stand in another order
with changes as (
    select
        *,
        cast(null as decimal(9, 2)) as discount
    from {{ ref('unit_content_hash_input') }}
),

hashed as (
    select
        case_name,
        {{ content_hash('field_sales', {
            'label': 'string', 'note': 'string', 'quantity': 'int', 'sizes': 'map<string,int>'
        }) | indent(8) }} as narrow_hash,
        {{ content_hash('field_sales', {
            'label': 'string', 'note': 'string', 'quantity': 'bigint', 'sizes': 'map<string,int>'
        }) | indent(8) }} as wide_hash,
        {{ content_hash('field_sales', {
            'quantity': 'int', 'label': 'string', 'discount': 'decimal(9,2)',
            'sizes': 'map<string,int>', 'note': 'string'
        }) | indent(8) }} as longer_hash
    from changes
)

select
    case_name,
    count(distinct narrow_hash) as contents,
    bool_and(narrow_hash = wide_hash) as is_same_when_wider,
    bool_and(narrow_hash = longer_hash) as is_same_with_more_columns
from hashed
group by case_name
