{#- The sum of both values, where the column itself is in conflict. NULL: the other value. -#}
{% macro resolver_additive(given) -%}
{%- set change = replication_conflicts.wide_number(given.change_value, given.data_type) -%}
{%- set held = replication_conflicts.wide_number(given.held_value, given.data_type) -%}
{{ replication_conflicts.computed_value(
    given, given.is_in_conflict,
    'coalesce(' ~ change ~ ' + ' ~ held ~ ', ' ~ change ~ ', ' ~ held ~ ')',
    numbers=[given.change_value, given.held_value]
) }}
{%- endmacro %}
