{#- Columns that people have edited, or a subscriber has reported, with their values as canonical
    text, over the columns publication and article. A value that its column cannot hold becomes
    NULL. -#}
{% macro canonical_edits(edited) -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.article_list() -%}
    {%- set pairs = [] -%}
    {%- for column, data_type in item.options.columns.items() -%}
        {%- do pairs.append("'" ~ column ~ "', " ~ replication_conflicts.canonical_text(
            replication_conflicts.typed_value(edited ~ "['" ~ column ~ "']", data_type), data_type
        )) -%}
    {%- endfor -%}
    {%- do branches.append({
        'item': item,
        'value': 'map_filter(map(' ~ pairs | join(', ')
            ~ '), (edited_column, edited_value) -> map_contains_key(' ~ edited
            ~ ', edited_column))'
    }) -%}
{%- endfor -%}
{{ replication_conflicts.by_article(branches, 'cast(map() as map<string,string>)') }}
{%- endmacro %}
