{#- The options of one article. An unknown publication or article is an error that lists the known ones. -#}
{% macro article_options(publication, article) -%}
    {%- set settings = replication_conflicts.publications().get(publication) -%}
    {%- if not settings -%}
        {{ exceptions.raise_compiler_error(
            "publication '" ~ publication ~ "' is not configured; known publications: "
            ~ replication_conflicts.publications().keys() | sort | join(', ') ~ ". Add it under vars: publications: in dbt_project.yml."
        ) }}
    {%- endif -%}
    {%- set options = settings.articles.get(article) -%}
    {%- if not options -%}
        {{ exceptions.raise_compiler_error(
            "publication '" ~ publication ~ "' has no article '" ~ article ~ "'; its articles: "
            ~ settings.articles.keys() | sort | join(', ')
            ~ ". Add it under vars: publications: " ~ publication ~ ": articles: in dbt_project.yml."
        ) }}
    {%- endif -%}
    {{ return(options) }}
{%- endmacro %}
