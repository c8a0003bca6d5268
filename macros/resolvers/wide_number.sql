{#- A number with room for a sum of three: integers and decimals as a wide decimal of their scale, floating-point numbers as
    double. A decimal gets no wider than 38 digits; beyond that Spark gives up digits after the point. -#}
{% macro wide_number(value, data_type) -%}
    {%- set scale = replication_conflicts.number_scale(data_type) -%}
    {%- if scale is none -%}
        {{ return('cast(' ~ value ~ ' as double)') }}
    {%- endif -%}
    {{ return('cast(' ~ value ~ ' as decimal(36,' ~ scale ~ '))') }}
{%- endmacro %}


{#- Whether a number is too long for a wide one: only decimals of 37 or 38 digits can be. -#}
{% macro is_beyond_wide_number(value, data_type) -%}
    {%- if data_type.startswith(('decimal(37,', 'decimal(38,')) -%}
        {{ return('(' ~ value ~ ' is not null and ' ~ replication_conflicts.wide_number(value, data_type) ~ ' is null)') }}
    {%- endif -%}
    {{ return('false') }}
{%- endmacro %}
