{#- The articles that name a resolver other than the default one, in the form of article_list. -#}
{% macro articles_with_resolver() -%}
    {%- set found = [] -%}
    {%- for item in replication_conflicts.article_list()
        if (item.options.get('resolver') or {}).get('name', 'priority') != 'priority'
    -%}
        {%- do found.append(item) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
