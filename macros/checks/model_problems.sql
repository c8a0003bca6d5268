{#- Articles that lack one of the models that each article has; a list of texts. dbt itself
    would only leave out what reads the model: an article without its conflict table would lose
    rows in silence. -#}
{% macro model_problems() -%}
    {%- set problems = [] -%}
    {%- set models = (
        graph.nodes.values() | selectattr('resource_type', 'equalto', 'model')
        | map(attribute='name') | list
    ) -%}
    {%- for item in replication_conflicts.article_list() -%}
        {%- set named = item.publication ~ '__' ~ item.article -%}
        {%- set wanted = {
            'stg_' ~ named: 'staged_changes',
            named ~ '__versions': 'row_versions',
            named: 'published_rows',
            'conflict_' ~ item.publication ~ '_' ~ item.article: 'conflict_table'
        } -%}
        {%- for model, macro in wanted.items() if model not in models -%}
            {%- do problems.append(
                "publication '" ~ item.publication ~ "', article '" ~ item.article
                ~ "': there is no model '" ~ model ~ "', or it is disabled." ~ ' Add models/'
                ~ item.publication ~ '/' ~ model ~ '.sql: {{ replication_conflicts.' ~ macro ~ "('"
                ~ item.publication ~ "', '" ~ item.article ~ "') }}"
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}
