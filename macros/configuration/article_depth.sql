{#- How many foreign keys lead from an article up to an article without parents: 0 for a top parent.
    The order in which commands reach a subscriber: inserts by rising depth, deletes by falling depth. -#}
{% macro article_depth(publication, article, path=()) -%}
    {%- set depths = [0] -%}
    {%- for foreign_key in replication_conflicts.article_options(publication, article).get('foreign_keys', []) -%}
        {%- set parent = foreign_key.references -%}
        {#- a table that refers to itself, or a ring of tables, has no depth of its own -#}
        {%- if parent != article and parent not in path -%}
            {%- do depths.append(
                1 + replication_conflicts.article_depth(publication, parent, path + (article,))
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(depths | max) }}
{%- endmacro %}
