{#- A place behind every queue. -#}
{% macro never() -%}
    {{ return('9223372036854775807') }}
{%- endmacro %}
