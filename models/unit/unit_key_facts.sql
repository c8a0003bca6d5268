-- one row per row of an article: what it says about keys
with facts as (
    select
        case_name,
        publication,
        {{ key_facts('changed_row') | indent(4) }} as key_facts
    from {{ ref('unit_key_facts_input') }}
)

select
    case_name,
    array_join(
        transform(
            key_facts,
            key_fact -> concat_ws(
                ' ', key_fact.constraint_id, key_fact.role, key_fact.value
            )
        ),
        '; '
    ) as key_facts,
    array_join(
        transform(
            key_facts,
            key_fact -> concat_ws(
                ' ',
                cast(
                    ({{ key_failure('key_fact.constraint_id', 'publication') | indent(20) }}).code
                    as string
                ),
                ({{ key_failure('key_fact.constraint_id', 'publication') | indent(16) }}).name
            )
        ),
        '; '
    ) as failures
from facts
