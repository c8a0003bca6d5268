{#- How many foreign keys, or steps in a logical record, lead from an article up to an article
    without parents: 0 for a top parent. The order in which commands reach a subscriber: inserts by
    rising depth, deletes by falling depth. -#}
{% macro article_depth(publication, article, path=()) -%}
    {%- set depths = [0] -%}
    {%- set options = replication_conflicts.article_options(publication, article) -%}
    {%- for foreign_key in options.get('foreign_keys', []) -%}
        {%- set parent = foreign_key.references -%}
        {#- a table that refers to itself, or a ring of tables, has no depth of its own -#}
        {%- if parent != article and parent not in path -%}
            {%- do depths.append(
                1 + replication_conflicts.article_depth(publication, parent, path + (article,))
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- for one in replication_conflicts.record_articles(publication)
        if one.article == article and one.parent and one.parent not in path
    -%}
        {%- do depths.append(
            1 + replication_conflicts.article_depth(publication, one.parent, path + (article,))
        ) -%}
    {%- endfor -%}
    {{ return(depths | max) }}
{%- endmacro %}
