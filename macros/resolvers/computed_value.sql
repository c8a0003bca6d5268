{#- The resolution of the resolvers that compute the value of one column from both sides, of two updates and where `is_computed`
    holds; who wins the rest of the row is decided by priority. A value that does not fit the column is an overflow: the change
    cannot be applied. -#}
{% macro computed_value(given, is_computed, value) -%}
{%- set holds = given.kind ~ " = 'update_update' and (" ~ is_computed ~ ')' -%}
{%- set typed = 'try_cast(' ~ value ~ ' as ' ~ given.data_type ~ ')' -%}
{{ replication_conflicts.resolution(
    column="'" ~ given.resolver.column ~ "'",
    value='if(' ~ holds ~ ', ' ~ replication_conflicts.canonical_text(typed, given.data_type) ~ ', null)',
    is_computed=holds,
    is_overflow=holds ~ ' and ' ~ replication_conflicts.is_overflow(value, given.data_type)
) }}
{%- endmacro %}
