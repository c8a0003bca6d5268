{#- The mean of both values, in the column's scale, half away from zero, where the column itself
    is in conflict. NULL: the other value. A product keeps digits before the point that a
    quotient gives up. Two floating-point numbers may have a mean where they have no sum. -#}
{% macro resolver_averaging(given) -%}
{%- set change = replication_conflicts.wide_number(given.change_value, given.data_type) -%}
{%- set held = replication_conflicts.wide_number(given.held_value, given.data_type) -%}
{%- set mean = '(' ~ change ~ ' + ' ~ held ~ ') * 0.5' -%}
{%- if replication_conflicts.number_scale(given.data_type) is none -%}
    {%- set mean = (
        'if(abs(' ~ change ~ ' + ' ~ held ~ ") = double('infinity'), " ~ change ~ ' * 0.5 + '
        ~ held ~ ' * 0.5, ' ~ mean ~ ')'
    ) -%}
{%- else -%}
    {%- set mean = (
        'round(' ~ mean ~ ', ' ~ replication_conflicts.number_scale(given.data_type) ~ ')'
    ) -%}
{%- endif -%}
{{ replication_conflicts.computed_value(
    given, given.is_in_conflict, 'coalesce(' ~ mean ~ ', ' ~ change ~ ', ' ~ held ~ ')',
    numbers=[given.change_value, given.held_value]
) }}
{%- endmacro %}
