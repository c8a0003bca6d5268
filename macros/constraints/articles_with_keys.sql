{#- The articles that have an end of a unique or foreign key, in the form of article_list.

    publications: names of the publications meant; all without it -#}
{% macro articles_with_keys(publications=none) -%}
    {%- set found = [] -%}
    {%- for item in replication_conflicts.article_list()
        if (publications is none or item.publication in publications) and replication_conflicts.key_sides(item) -%}
        {%- do found.append(item) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
