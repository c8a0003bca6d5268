{#- What counters need: the held value and what the change added to it, whether the column is in
    conflict or not. NULL counts as 0, but a held NULL to which nothing is added stays NULL. A
    change that does not say the value before it leaves the conflict to the default resolver. -#}
{% macro resolver_additive_delta(given) -%}
{%- set change = replication_conflicts.wide_number(given.change_value, given.data_type) -%}
{%- set held = replication_conflicts.wide_number(given.held_value, given.data_type) -%}
{%- set previous = replication_conflicts.wide_number(given.previous_value, given.data_type) -%}
{%- set nothing = replication_conflicts.wide_number('0', given.data_type) -%}
{%- set delta -%}
if(
    {{ given.is_changed }},
    coalesce({{ change }}, {{ nothing }}) - coalesce({{ previous }}, {{ nothing }}),
    {{ nothing }}
)
{%- endset -%}
{{ replication_conflicts.computed_value(
    given, 'not ' ~ given.is_changed ~ ' or ' ~ given.has_previous_value,
    'if(' ~ delta ~ ' = 0, ' ~ held ~ ', coalesce(' ~ held ~ ', ' ~ nothing ~ ') + ' ~ delta ~ ')',
    numbers=[given.change_value, given.held_value, given.previous_value]
) }}
{%- endmacro %}
