{#- The options of one article. An unknown publication or article is an error that lists the known ones. -#}
{% macro article_options(publication, article) -%}
    {%- set settings = replication_conflicts.publications().get(publication) -%}
    {%- if project_name != 'replication_conflicts' and model.package_name == 'replication_conflicts'
        and article not in (settings or {}).get('articles', {}) -%}
        {#- the demo's own models are off in a project that installs this one, but dbt renders them to find that out -#}
        {{ return({'columns': {}, 'primary_key': []}) }}
    {%- endif -%}
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
