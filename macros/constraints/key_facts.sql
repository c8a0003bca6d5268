{#- What a row says about unique and foreign keys, as an array of structs: `constraint_id`, the `role` that the row has in it
    ('unique'; 'child', it refers to the value; 'parent', it holds the value) and the `value`, as text. A key with a NULL in it
    says nothing, and neither does a row that is gone (`row` NULL). Over the columns publication and article, of articles
    with this `replication` or of all. -#}
{% macro key_facts(row, replication=none) -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.article_list(replication) -%}
    {%- set facts = replication_conflicts._key_facts_of_article(item, row) -%}
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


{#- The facts that rows of one article can say: a list of SQL expressions. -#}
{% macro _key_facts_of_article(item, row) -%}
    {%- set facts = [] -%}
    {%- set articles = item.settings.articles -%}
    {%- for key in replication_conflicts.key_constraints(item.publication) -%}
        {%- if key.article == item.article and key.kind == 'unique' -%}
            {%- do facts.append(replication_conflicts._key_fact(key.id, 'unique', key.columns, item.options.columns, row)) -%}
        {%- elif key.kind == 'foreign_key' -%}
            {%- set parent_types = articles[key.references].columns -%}
            {%- if key.article == item.article -%}
                {%- set types = {} -%}
                {%- for column in key.columns -%}
                    {%- do types.update({column: parent_types[key.to[loop.index0]]}) -%}
                {%- endfor -%}
                {%- do facts.append(replication_conflicts._key_fact(key.id, 'child', key.columns, types, row)) -%}
            {%- endif -%}
            {%- if key.references == item.article -%}
                {%- do facts.append(replication_conflicts._key_fact(key.id, 'parent', key.to, parent_types, row)) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(facts) }}
{%- endmacro %}


{#- One fact as a struct. The value is written in the types of the key that is referred to, so that both sides write it alike. -#}
{% macro _key_fact(constraint_id, role, columns, types, row) -%}
    {%- set texts = [] -%}
    {%- set nulls = [] -%}
    {%- for column in columns -%}
        {%- set text = row ~ "['" ~ column ~ "']" -%}
        {%- do texts.append(replication_conflicts.canonical_text(
            replication_conflicts.typed_value(text, types[column]), types[column]
        )) -%}
        {%- do nulls.append(text ~ ' is null') -%}
    {%- endfor -%}
    {{ return(
        "struct('" ~ constraint_id ~ "' as constraint_id, '" ~ role ~ "' as role, if(" ~ nulls | join(' or ')
        ~ ', null, to_json(array(' ~ texts | join(', ') ~ '))) as value)'
    ) }}
{%- endmacro %}
