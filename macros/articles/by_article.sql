{#- One expression per article, chosen by a change's publication and article: `case when publication
    = ... and article = ...`. Over the columns publication and article.

    branches: a list of {item, value}: an article in the form of article_list, and the SQL for it;
    otherwise: SQL for all others -#}
{% macro by_article(branches, otherwise) -%}
{%- if not branches -%}
{{ otherwise }}
{%- else -%}
    case
        {%- for branch in branches %}
        when publication = '{{ branch.item.publication }}' and article = '{{ branch.item.article }}'
            then {{ branch.value | indent(8) }}
        {%- endfor %}
        else {{ otherwise }}
    end
{%- endif -%}
{%- endmacro %}
