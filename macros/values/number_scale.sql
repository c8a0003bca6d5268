{#- The digits after the point of a numeric type: 0 for integers, none for floating-point
    numbers. -#}
{% macro number_scale(data_type) -%}
    {%- set kind = data_type | lower | replace(' ', '') -%}
    {%- if kind in ['float', 'double'] -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set found = modules.re.match('decimal\\(\\d+,(\\d+)\\)', kind) -%}
    {{ return((found.group(1) | int) if found else 0) }}
{%- endmacro %}
