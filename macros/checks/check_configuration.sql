{#- Checks vars: publications: and stops with one error that lists every problem, each with its
    publication, article and option. It does so while dbt parses, before anything runs; what has
    been parsed is not checked again. -#}
{% macro check_configuration() -%}
    {%- if not execute -%}
        {%- set problems = replication_conflicts.configuration_problems(
            replication_conflicts.publications()
        ) -%}
        {%- set where = (
            'in --policy, --resolver or --priority'
            if var('what_if', none)
            else 'under vars: publications: in dbt_project.yml'
        ) -%}
        {%- if problems -%}
            {{ exceptions.raise_compiler_error(
                'the configuration has ' ~ problems | length ~ ' problem'
                ~ ('s' if problems | length > 1) ~ '. Correct it ' ~ where ~ '.\n  '
                ~ problems | join('\n  ')
            ) }}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
