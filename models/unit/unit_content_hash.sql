-- one row per case: how many changes content_hash makes of its rows, also where a column is wider
with hashed as (
    select
        case_name,
        {{ content_hash(
            'field_sales', {'label': 'string', 'note': 'string', 'quantity': 'int', 'sizes': 'map<string,int>'}
        ) | indent(8) }} as narrow_hash,
        {{ content_hash(
            'field_sales', {'label': 'string', 'note': 'string', 'quantity': 'bigint', 'sizes': 'map<string,int>'}
        ) | indent(8) }} as wide_hash
    from {{ ref('unit_content_hash_input') }}
)

select
    case_name,
    count(distinct narrow_hash) as contents,
    bool_and(narrow_hash = wide_hash) as is_same_when_wider
from hashed
group by case_name
