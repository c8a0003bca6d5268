{#- Whether the article of a change has a row filter, as a condition over the columns publication
    and article, of articles with this `replication` or of all. -#}
{% macro has_row_filter(replication=none) -%}
    {%- set names = [] -%}
    {%- for item in replication_conflicts.article_list(replication)
        if item.options.get('row_filter')
    -%}
        {%- do names.append(item.publication ~ '.' ~ item.article) -%}
    {%- endfor -%}
    {{ return(replication_conflicts.is_one_of("concat(publication, '.', article)", names)) }}
{%- endmacro %}
