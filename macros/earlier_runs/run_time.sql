{#- When this run began (UTC, whole seconds), as SQL. -#}
{% macro run_time() -%}
cast('{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S") }}' as timestamp)
{%- endmacro %}
