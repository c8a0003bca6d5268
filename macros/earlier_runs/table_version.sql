{#- The newest version of a Delta table, a number; 0 while dbt parses, and of a table that is
    not there yet. -#}
{% macro table_version(relation) -%}
    {%- if not execute or load_relation(relation) is none -%}
        {{ return(0) }}
    {%- endif -%}
    {{ return(run_query('describe history ' ~ relation ~ ' limit 1').rows[0]['version']) }}
{%- endmacro %}
