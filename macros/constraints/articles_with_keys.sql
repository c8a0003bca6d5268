{#- The articles of publications that have unique or foreign keys, in the form of article_list. -#}
{% macro articles_with_keys() -%}
    {%- set found = [] -%}
    {%- for item in replication_conflicts.article_list() if replication_conflicts.key_constraints(item.publication) -%}
        {%- do found.append(item) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
