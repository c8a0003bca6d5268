{#- What a row says about the single columns of unique and foreign keys that a run may put together
    itself (composed_keys), as an array of structs: `constraint_id`, its `column_index` in the key,
    counted from 0, and the `value` as the key writes it. A NULL says nothing. Over the columns
    publication and article. -#}
{% macro key_parts(row) -%}
{%- set composed = replication_conflicts.composed_keys() -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.article_list('merge') -%}
    {%- set parts = [] -%}
    {%- for side in replication_conflicts.key_sides(item)
        if (item.publication ~ '.' ~ side.id) in composed
    -%}
        {%- for column in side.columns -%}
            {%- set text = replication_conflicts.text_as_type(
                row ~ "['" ~ column ~ "']", side.own_types[column], side.types[column]
            ) -%}
            {%- do parts.append(
                "struct('" ~ side.id ~ "' as constraint_id, " ~ loop.index0 ~ ' as column_index, '
                ~ text ~ ' as value)'
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- if parts -%}
        {%- do branches.append({
            'item': item,
            'value': 'filter(array(' ~ parts | join(', ')
                ~ '), key_part -> key_part.value is not null)'
        }) -%}
    {%- endif -%}
{%- endfor -%}
{{ replication_conflicts.by_article(
    branches, 'cast(array() as array<struct<constraint_id:string,column_index:int,value:string>>)'
) }}
{%- endmacro %}
