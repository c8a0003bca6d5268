{#- A place before every queue: of what was there at first. -#}
{% macro before_queue() -%}
    {{ return('-9223372036854775807') }}
{%- endmacro %}
