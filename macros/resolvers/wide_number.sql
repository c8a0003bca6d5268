{#- A number with room for a sum of three: integers and decimals as a wide decimal of their scale,
    floating-point numbers as double. A decimal gets no wider than 38 digits; beyond that Spark
    gives up digits after the point. -#}
{% macro wide_number(value, data_type) -%}
    {%- set scale = replication_conflicts.number_scale(data_type) -%}
    {%- if scale is none -%}
        {{ return('cast(' ~ value ~ ' as double)') }}
    {%- endif -%}
    {{ return('cast(' ~ value ~ ' as decimal(36,' ~ scale ~ '))') }}
{%- endmacro %}
