{#- The key of the row above a row in its logical record, as row_key; NULL at the top, and where a
    column is NULL. Over the columns publication and article; `row` is a map<string,string>. -#}
{% macro record_parent_key(row) -%}
{%- set branches = [] -%}
{%- for one in replication_conflicts.record_articles() | selectattr('parent') -%}
    {%- set texts = [] -%}
    {%- set types = [] -%}
    {%- for column in one.columns -%}
        {%- set data_type = one.parent_options.columns[
            one.parent_options.primary_key[loop.index0]
        ] -%}
        {%- do texts.append(replication_conflicts.text_as_type(
            row ~ "['" ~ column ~ "']", one.options.columns[column], data_type
        )) -%}
        {%- do types.append(data_type) -%}
    {%- endfor -%}
    {%- do branches.append({
        'item': one, 'value': replication_conflicts.key_of_texts(texts, types)
    }) -%}
{%- endfor -%}
{{ replication_conflicts.by_article(branches, 'cast(null as string)') }}
{%- endmacro %}
