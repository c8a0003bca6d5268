{#- What a row says about unique and foreign keys, as an array of structs: `constraint_id`, the `role` that the row has in it
    ('unique'; 'child', it refers to the value; 'parent', it holds the value) and the `value`, as text. A key with a NULL in it
    says nothing, and neither does a row that is gone (`row` NULL). Over the columns publication and article, of articles
    with this `replication` or of all. -#}
{% macro key_facts(row, replication=none) -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.article_list(replication) -%}
    {%- set facts = [] -%}
    {%- for side in replication_conflicts.key_sides(item) -%}
        {%- do facts.append(replication_conflicts._key_fact(side, row)) -%}
    {%- endfor -%}
    {%- if facts -%}
        {%- do branches.append({
            'item': item,
            'value': 'filter(array(' ~ facts | join(', ') ~ '), key_fact -> key_fact.value is not null)'
        }) -%}
    {%- endif -%}
{%- endfor -%}
{{ replication_conflicts.by_article(
    branches, 'cast(array() as array<struct<constraint_id:string,role:string,value:string>>)'
) }}
{%- endmacro %}


{#- One fact as a struct. `side`: one of key_sides. -#}
{% macro _key_fact(side, row) -%}
    {%- set texts = [] -%}
    {%- set nulls = [] -%}
    {%- for column in side.columns -%}
        {%- set text = row ~ "['" ~ column ~ "']" -%}
        {%- do texts.append(replication_conflicts.text_as_type(text, side.own_types[column], side.types[column])) -%}
        {%- do nulls.append(text ~ ' is null') -%}
    {%- endfor -%}
    {{ return(
        "struct('" ~ side.id ~ "' as constraint_id, '" ~ side.role ~ "' as role, if(" ~ nulls | join(' or ')
        ~ ', null, to_json(array(' ~ texts | join(', ') ~ '))) as value)'
    ) }}
{%- endmacro %}
