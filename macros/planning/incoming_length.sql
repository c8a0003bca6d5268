{#- How many changes this run has to look at; 0 while dbt parses. -#}
{% macro incoming_length() -%}
    {%- set incoming = ref('incoming_changes') -%}
    {%- if not execute or load_cached_relation(incoming) is none -%}
        {{ return(0) }}
    {%- endif -%}
    {{ return(run_query(
        'select count(*) from ' ~ incoming ~ " where run_id = '" ~ invocation_id ~ "'"
    ).columns[0].values()[0]) }}
{%- endmacro %}
