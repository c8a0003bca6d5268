{#- A relation as the last run left it, or none when no run has made it yet (and while dbt parses). -#}
{% macro held_relation(name) -%}
    {%- set held = source('held', name) -%}
    {%- if not execute -%}
        {{ return(none) }}
    {%- endif -%}
    {{ return(adapter.get_relation(held.database, held.schema, held.identifier)) }}
{%- endmacro %}
