{#- The macro of a resolver of the project that is built; none where it has none. dbt itself would
    find the one of this package first: whoever asks is a model of this package. -#}
{% macro own_resolver(name) -%}
    {%- if project_name != 'replication_conflicts' -%}
        {{ return((context.get(project_name) or {}).get('resolver_' ~ name)) }}
    {%- endif -%}
{%- endmacro %}
