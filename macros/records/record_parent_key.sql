{#- The key of the row above a row in its logical record, as row_key; NULL at the top, and where a column is NULL. Over the columns
    publication and article; `row` is a map<string,string>. -#}
{% macro record_parent_key(row) -%}
{%- set members = replication_conflicts.record_articles() | selectattr('parent') | list -%}
{%- if not members -%}
cast(null as string)
{%- else -%}
case
        {%- for one in members %}
        {%- set texts = [] %}
        {%- set types = [] %}
        {%- for column in one.columns %}
            {%- set data_type = one.parent_options.columns[one.parent_options.primary_key[loop.index0]] %}
            {%- do texts.append(replication_conflicts.canonical_text(
                replication_conflicts.typed_value(row ~ "['" ~ column ~ "']", data_type), data_type
            )) %}
            {%- do types.append(data_type) %}
        {%- endfor %}
        when publication = '{{ one.publication }}' and article = '{{ one.article }}'
            then {{ replication_conflicts.key_of_texts(texts, types) }}
        {%- endfor %}
    end
{%- endif -%}
{%- endmacro %}
