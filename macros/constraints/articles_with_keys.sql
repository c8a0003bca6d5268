{#- The articles that have an end of a unique or foreign key, in the form of article_list. -#}
{% macro articles_with_keys() -%}
    {%- set found = [] -%}
    {%- for item in replication_conflicts.article_list()
        if replication_conflicts.key_sides(item)
    -%}
        {%- do found.append(item) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
