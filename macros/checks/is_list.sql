{#- Whether a value of the configuration is a list. -#}
{% macro is_list(value) -%}
    {{ return(value is sequence and value is not string and value is not mapping) }}
{%- endmacro %}
