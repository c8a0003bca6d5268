{#- The configured publications: a mapping of publication name to its options.
    Errors: those of the demo in a project that installs this one, which is what the package's
    models see of variables that stand below the project's name. -#}
{% macro publications() -%}
    {%- set publications = var('publications', {}) -%}
    {%- if publications is not mapping -%}
        {{ exceptions.raise_compiler_error(
            "vars: publications: is '" ~ publications
            ~ "', must be a mapping of publication name to options. "
            ~ 'Correct it in dbt_project.yml.'
        ) }}
    {%- elif
        project_name != 'replication_conflicts' and publications == var('demo_publications', none)
    -%}
        {{ exceptions.raise_compiler_error(
            "no publication is configured for the models of replication_conflicts. Put "
            ~ "publications: directly under vars: in dbt_project.yml of '" ~ project_name
            ~ "', not below the name of a project: models of two projects read it."
        ) }}
    {%- endif -%}
    {{ return(publications) }}
{%- endmacro %}
