{#- The SQL type of a failure. -#}
{% macro failure_type() -%}
    {{ return('struct<code:int,name:string>') }}
{%- endmacro %}
