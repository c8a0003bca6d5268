{#- The newest version of a Delta table, a number; 0 while dbt parses or where there is no table. -#}
{% macro table_version(relation) -%}
    {%- if not execute -%}
        {{ return(0) }}
    {%- endif -%}
    {{ return(run_query('select max(version) from (describe history ' ~ relation ~ ' limit 1)').columns[0].values()[0]) }}
{%- endmacro %}
