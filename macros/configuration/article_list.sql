{#- Every article of every publication, of those with this `replication`, or of the one with this
    name (`only`), parents before children where the configuration lists them so: a list of
    {publication, article, options, settings}, where `settings` are the publication's options. -#}
{% macro article_list(replication=none, only=none) -%}
    {%- set articles = [] -%}
    {%- for publication, settings in replication_conflicts.publications().items()
        if only in [none, publication]
    -%}
        {%- if settings is not mapping or settings.get('articles') is not mapping -%}
            {%- do replication_conflicts.check_configuration() -%}
        {%- endif -%}
        {%- for article, options in settings.articles.items()
            if replication in [none, settings.replication]
        -%}
            {%- do replication_conflicts.check_shape(settings, article) -%}
            {%- do articles.append({
                'publication': publication,
                'article': article,
                'settings': settings,
                'options': options
            }) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(articles) }}
{%- endmacro %}
