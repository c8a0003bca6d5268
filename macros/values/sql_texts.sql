{#- Texts of the configuration as literals of Spark SQL, with commas between them. -#}
{% macro sql_texts(values) -%}
    {%- set literals = [] -%}
    {%- for value in values -%}
        {%- do literals.append(replication_conflicts.sql_text(value)) -%}
    {%- endfor -%}
    {{ return(literals | join(', ')) }}
{%- endmacro %}
