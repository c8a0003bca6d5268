{#- The options of one article. An unknown publication or article is an error that lists the known
    ones. -#}
{% macro article_options(publication, article) -%}
    {%- set publications = replication_conflicts.publications() -%}
    {%- set settings = publications.get(publication) -%}
    {%- set articles = settings.get('articles') if settings is mapping else none -%}
    {%- set is_known = articles is mapping and article in articles -%}
    {%- if
        project_name != 'replication_conflicts'
        and model.package_name == 'replication_conflicts'
        and not is_known
    -%}
        {#- the demo's own models are off in a project that installs this one, but dbt renders them
            to find that out -#}
        {{ return({'columns': {}, 'primary_key': []}) }}
    {%- endif -%}
    {%- do replication_conflicts.check_shape(settings, article) -%}
    {%- if publication not in publications -%}
        {{ exceptions.raise_compiler_error(
            "publication '" ~ publication ~ "' is not configured; known publications: "
            ~ publications.keys() | sort | join(', ')
            ~ ". Add it under vars: publications: in dbt_project.yml."
        ) }}
    {%- elif not is_known -%}
        {{ exceptions.raise_compiler_error(
            "publication '" ~ publication ~ "' has no article '" ~ article ~ "'; its articles: "
            ~ articles.keys() | sort | join(', ') ~ ". Add it under vars: publications: "
            ~ publication ~ ": articles: in dbt_project.yml."
        ) }}
    {%- endif -%}
    {{ return(articles[article]) }}
{%- endmacro %}
