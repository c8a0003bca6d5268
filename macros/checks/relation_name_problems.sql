{#- Articles whose models or tables would have the name of another one's, or of the feed of
    reports: the parts of a name are joined with '_', which names may contain themselves. A
    list of texts. -#}
{% macro relation_name_problems(publications) -%}
    {%- set problems = [] -%}
    {%- set owners = {} -%}
    {%- for publication, settings in publications.items()
        if settings is mapping and settings.get('articles') is mapping
    -%}
        {%- for article in settings.articles -%}
            {%- if article | lower == 'apply_errors' -%}
                {%- do problems.extend(replication_conflicts.problem_texts(publication, article, [
                    [
                        none,
                        'the feed of reports has this name, ' ~ publication
                        ~ '__apply_errors; rename the article'
                    ]
                ])) -%}
            {%- endif -%}
            {%- set name = publication ~ '__' ~ article -%}
            {%- for relation in [
                name, name ~ '__versions', 'stg_' ~ name, 'conflict_' ~ publication ~ '_' ~ article
            ] -%}
                {#- the metastore knows no upper case -#}
                {%- set owner = owners.get(relation | lower) -%}
                {%- if owner -%}
                    {%- do problems.extend(
                        replication_conflicts.problem_texts(publication, article, [
                            [
                                none,
                                "its '" ~ relation ~ "' would have the name of a relation of "
                                ~ owner ~ '; rename one of the two'
                            ]
                        ])
                    ) -%}
                {%- endif -%}
                {%- do owners.update({
                    relation | lower: "publication '" ~ publication ~ "', article '" ~ article ~ "'"
                }) -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}
