{#- What a row says about unique and foreign keys, as an array of structs: `constraint_id`, the
    `role` that the row has in it ('unique'; 'child', it refers to the value; 'parent', it holds the
    value) and the `value`, as text. A key with a NULL in it says nothing, and neither does a row
    that is gone (`row` NULL). Over the columns publication and article, of articles with this
    `replication` or of all. -#}
{% macro key_facts(row, replication=none) -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.article_list(replication) -%}
    {%- set facts = replication_conflicts.article_key_facts(item, row) -%}
    {%- if facts -%}
        {%- do branches.append({'item': item, 'value': facts}) -%}
    {%- endif -%}
{%- endfor -%}
{{ replication_conflicts.by_article(
    branches, 'cast(array() as array<struct<constraint_id:string,role:string,value:string>>)'
) }}
{%- endmacro %}
