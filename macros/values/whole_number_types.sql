{#- The types of whole numbers that a column may have, a list; the smaller ones first. -#}
{% macro whole_number_types() -%}
    {{ return(['tinyint', 'smallint', 'int', 'bigint']) }}
{%- endmacro %}
