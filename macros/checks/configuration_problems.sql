{#- Everything that is wrong with a configuration (vars: publications:), as a list of texts. -#}
{% macro configuration_problems(publications) -%}
    {%- if not publications -%}
        {{ return(['no publication is configured']) }}
    {%- endif -%}
    {%- set problems = [] -%}
    {%- for publication, settings in publications.items() -%}
        {%- set problems_of_publication = replication_conflicts.publication_problems(
            publication, settings
        ) -%}
        {%- do problems.extend(problems_of_publication) -%}
        {%- if settings is mapping and settings.get('articles') is mapping -%}
            {%- for article in settings.articles -%}
                {%- do problems.extend(
                    replication_conflicts.article_problems(publication, article, settings)
                ) -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
    {%- do problems.extend(replication_conflicts.relation_name_problems(publications)) -%}
    {{ return(problems) }}
{%- endmacro %}
