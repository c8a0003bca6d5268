{#- Problems as texts, each with its publication, article and option. `found`: a list of [option,
    text]. `article` and an option are none where the problem is about the publication or the
    article as a whole. -#}
{% macro problem_texts(publication, article, found) -%}
    {%- set subject = (
        "publication '" ~ publication ~ "'"
        ~ (", article '" ~ article ~ "'" if article is not none else '')
    ) -%}
    {%- set texts = [] -%}
    {%- for option, text in found -%}
        {%- do texts.append(
            subject ~ (", option '" ~ option ~ "'" if option is not none else '') ~ ': ' ~ text
        ) -%}
    {%- endfor -%}
    {{ return(texts) }}
{%- endmacro %}
