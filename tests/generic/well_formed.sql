{#- Fails for every row that breaks what the model says of its rows: `key` names columns that together occur once, `filled`
    columns that are never NULL, `words` the values that a column may have besides NULL. It is unique, not_null and
    accepted_values for many columns in one query: a test costs a query, and these run in every build. `has_runs`: the rows
    say of which run they are (run_sequence); a build looks at the newest alone. -#}
{% test well_formed(model, key, filled=[], words={}, has_runs=false) %}

select *
from (
    select
        *,
        count(*) over (partition by {{ key | join(', ') }}) as rows_with_this_key
    from {{ model }}
    where {{ is_tested(model) if has_runs else 'true' }}
)
where
    rows_with_this_key > 1
    {%- for column in filled %}
    or {{ column }} is null
    {%- endfor %}
    {%- for column, allowed in words.items() %}
    or cast({{ column }} as string) not in ('{{ allowed | join("', '") }}')
    {%- endfor %}

{% endtest %}
