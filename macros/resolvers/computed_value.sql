{#- The resolution of the resolvers that compute the value of one column from both sides, where
    `is_computed` holds; who wins the rest of the row is decided by priority. A value that does not
    fit the column is an overflow: the change cannot be applied.

    numbers: the given values that it is computed from as wide numbers -#}
{% macro computed_value(given, is_computed, value, numbers=[]) -%}
{%- set typed = 'try_cast(' ~ value ~ ' as ' ~ given.data_type ~ ')' -%}
{%- set overflows = [replication_conflicts.is_overflow(value, given.data_type)] -%}
{%- for number in numbers -%}
    {%- do overflows.append(
        replication_conflicts.is_beyond_wide_number(number, given.data_type)
    ) -%}
{%- endfor -%}
{{ replication_conflicts.resolution(
    given,
    value=replication_conflicts.canonical_text(typed, given.data_type),
    is_computed=is_computed,
    is_overflow='(' ~ is_computed ~ ') and (' ~ overflows | join(' or ') ~ ')'
) }}
{%- endmacro %}
