{#- The resolution of the resolvers that compute the value of one column from both sides, of two updates and where `is_computed`
    holds; who wins the rest of the row is decided by priority. A value that does not fit the column is an overflow: the change
    cannot be applied.

    numbers: the given values that it is computed from as wide numbers -#}
{% macro computed_value(given, is_computed, value, numbers=[]) -%}
{%- set holds = given.kind ~ " = 'update_update' and (" ~ is_computed ~ ')' -%}
{%- set typed = 'try_cast(' ~ value ~ ' as ' ~ given.data_type ~ ')' -%}
{%- set overflows = [replication_conflicts.is_overflow(value, given.data_type)] -%}
{%- for number in numbers -%}
    {%- do overflows.append(replication_conflicts.is_beyond_wide_number(number, given.data_type)) -%}
{%- endfor -%}
{{ replication_conflicts.resolution(
    given,
    value='if(' ~ holds ~ ', ' ~ replication_conflicts.canonical_text(typed, given.data_type) ~ ', null)',
    is_computed=holds,
    is_overflow=holds ~ ' and (' ~ overflows | join(' or ') ~ ')'
) }}
{%- endmacro %}
