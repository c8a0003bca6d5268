{#- A column's type as tables have it: a text of limited length is a string there. Spark makes a
    table of a query so, and Delta would check the length in a column that is added with one. -#}
{% macro unlimited_type(data_type) -%}
    {{ return(modules.re.sub('(?i)\\b(var)?char\\s*\\(\\s*\\d+\\s*\\)', 'string', data_type)) }}
{%- endmacro %}
