{#- What a row of one article says about unique and foreign keys, as key_facts has it; nothing where
    the article has no end of a key, so that whoever joins such expressions can leave it out.

    item: an article in the form of article_list; row: the row, map<string,string>, NULL where
    it is gone -#}
{% macro article_key_facts(item, row) -%}
    {%- set facts = [] -%}
    {%- for side in replication_conflicts.key_sides(item) -%}
        {%- do facts.append(replication_conflicts._key_fact(side, row)) -%}
    {%- endfor -%}
    {{ return(
        'filter(array(' ~ facts | join(', ') ~ '), key_fact -> key_fact.value is not null)'
        if facts
        else ''
    ) }}
{%- endmacro %}


{#- One fact as a struct. `side`: one of key_sides. -#}
{% macro _key_fact(side, row) -%}
    {%- set texts = [] -%}
    {%- set nulls = [] -%}
    {%- for column in side.columns -%}
        {%- set text = row ~ "['" ~ column ~ "']" -%}
        {%- do texts.append(
            replication_conflicts.text_as_type(text, side.own_types[column], side.types[column])
        ) -%}
        {%- do nulls.append(text ~ ' is null') -%}
    {%- endfor -%}
    {{ return(
        "struct('" ~ side.id ~ "' as constraint_id, '" ~ side.role ~ "' as role, if("
        ~ nulls | join(' or ') ~ ', null, to_json(array(' ~ texts | join(', ') ~ '))) as value)'
    ) }}
{%- endmacro %}
