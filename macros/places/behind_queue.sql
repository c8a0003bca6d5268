{#- A place behind every queue. -#}
{% macro behind_queue() -%}
    {{ return('9223372036854775807') }}
{%- endmacro %}
