{#- The configured publications: a mapping of publication name to its options. -#}
{% macro publications() -%}
    {%- set publications = var('publications', {}) -%}
    {%- if publications is not mapping -%}
        {{ exceptions.raise_compiler_error(
            "vars: publications: is '" ~ publications ~ "', must be a mapping of publication name to options. "
            ~ 'Correct it in dbt_project.yml.'
        ) }}
    {%- endif -%}
    {{ return(publications) }}
{%- endmacro %}
