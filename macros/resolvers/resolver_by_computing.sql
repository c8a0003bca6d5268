{#- The resolvers that compute the value of one column from both sides, of two updates; who wins the rest of the row is decided
    by priority. A value that does not fit the column is an overflow: the change cannot be applied. -#}

{#- The sum of both values, where the column itself is in conflict. NULL: the other value. -#}
{% macro resolver_additive(given) -%}
{%- set change = replication_conflicts.wide_number(given.change_value, given.data_type) -%}
{%- set held = replication_conflicts.wide_number(given.held_value, given.data_type) -%}
{{ replication_conflicts.computed_value(
    given, given.is_in_conflict,
    'coalesce(' ~ change ~ ' + ' ~ held ~ ', ' ~ change ~ ', ' ~ held ~ ')'
) }}
{%- endmacro %}


{#- The mean of both values, in the column's scale, half away from zero, where the column itself is in conflict. NULL: the
    other value. -#}
{% macro resolver_averaging(given) -%}
{%- set change = replication_conflicts.wide_number(given.change_value, given.data_type) -%}
{%- set held = replication_conflicts.wide_number(given.held_value, given.data_type) -%}
{%- set mean = '(' ~ change ~ ' + ' ~ held ~ ') / 2' -%}
{%- if replication_conflicts.number_scale(given.data_type) is not none -%}
    {%- set mean = 'round(' ~ mean ~ ', ' ~ replication_conflicts.number_scale(given.data_type) ~ ')' -%}
{%- endif -%}
{{ replication_conflicts.computed_value(
    given, given.is_in_conflict, 'coalesce(' ~ mean ~ ', ' ~ change ~ ', ' ~ held ~ ')'
) }}
{%- endmacro %}


{#- What counters need: the held value and what the change added to it, whether the column is in conflict or not. NULL counts as
    0, but a held NULL to which nothing is added stays NULL. A change that does not say the value before it leaves the conflict
    to the default resolver. -#}
{% macro resolver_additive_delta(given) -%}
{%- set change = replication_conflicts.wide_number(given.change_value, given.data_type) -%}
{%- set held = replication_conflicts.wide_number(given.held_value, given.data_type) -%}
{%- set previous = replication_conflicts.wide_number(given.previous_value, given.data_type) -%}
{%- set delta -%}
if({{ given.is_changed }}, coalesce({{ change }}, 0) - coalesce({{ previous }}, 0), 0)
{%- endset -%}
{{ replication_conflicts.computed_value(
    given, 'not ' ~ given.is_changed ~ ' or ' ~ given.has_previous_value,
    'if(' ~ delta ~ ' = 0, ' ~ held ~ ', coalesce(' ~ held ~ ', 0) + ' ~ delta ~ ')'
) }}
{%- endmacro %}


{#- What both texts begin with, the rest of the publisher's, a separator and the rest of the subscriber's, where the column
    itself is in conflict. Equal texts stay, NULL: the other text. -#}
{% macro resolver_merge_text(given) -%}
{%- set change = given.change_value -%}
{%- set held = given.held_value -%}
{%- set common -%}
array_max(filter(
            sequence(0, least(length({{ change }}), length({{ held }}))),
            prefix_length -> left({{ change }}, prefix_length) = left({{ held }}, prefix_length)
        ))
{%- endset -%}
{%- set text -%}
coalesce(
            if(
                {{ change }} = {{ held }},
                {{ held }},
                concat({{ held }}, '{{ given.resolver.get("separator", "") | replace("\\", "\\\\") | replace("'", "\\'") }}', substring({{ change }}, {{ common }} + 1))
            ),
            {{ held }},
            {{ change }}
        )
{%- endset -%}
{{ replication_conflicts.computed_value(given, given.is_in_conflict, text) }}
{%- endmacro %}


{#- A resolution with a computed value, of two updates and where `is_computed` holds. -#}
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


{#- A number with room for a sum of two: integers and decimals as the widest decimal of their scale, floating-point numbers as
    double. -#}
{% macro wide_number(value, data_type) -%}
    {%- set scale = replication_conflicts.number_scale(data_type) -%}
    {%- if scale is none -%}
        {{ return('cast(' ~ value ~ ' as double)') }}
    {%- endif -%}
    {{ return('cast(' ~ value ~ ' as decimal(37,' ~ scale ~ '))') }}
{%- endmacro %}


{#- The digits after the point of a numeric type: 0 for integers, none for floating-point numbers. -#}
{% macro number_scale(data_type) -%}
    {%- set kind = data_type | lower | replace(' ', '') -%}
    {%- if kind in ['float', 'real', 'double'] -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set found = modules.re.match('(?:decimal|dec|numeric)\\(\\d+,(\\d+)\\)', kind) -%}
    {{ return((found.group(1) | int) if found else 0) }}
{%- endmacro %}


{#- Whether a computed value does not fit its column. A text always does. -#}
{% macro is_overflow(value, data_type) -%}
    {%- set kind = data_type | lower | replace(' ', '') -%}
    {%- if kind.startswith(('string', 'varchar', 'char')) -%}
        {{ return('false') }}
    {%- elif replication_conflicts.number_scale(data_type) is none -%}
        {{ return('coalesce(abs(' ~ value ~ ") = double('infinity'), false)") }}
    {%- endif -%}
    {{ return('(' ~ value ~ ') is not null and try_cast(' ~ value ~ ' as ' ~ data_type ~ ') is null') }}
{%- endmacro %}
