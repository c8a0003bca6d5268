{#- A number with room for a sum of two: integers and decimals as the widest decimal of their scale, floating-point numbers as
    double. -#}
{% macro wide_number(value, data_type) -%}
    {%- set scale = replication_conflicts.number_scale(data_type) -%}
    {%- if scale is none -%}
        {{ return('cast(' ~ value ~ ' as double)') }}
    {%- endif -%}
    {{ return('cast(' ~ value ~ ' as decimal(37,' ~ scale ~ '))') }}
{%- endmacro %}
