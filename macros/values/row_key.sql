{#- The key of a row as one text: the key columns' canonical texts in the order of primary_key,
    joined with '|'. A '\' or '|' inside a value gets a '\' before it, so that two keys never look
    alike. NULL in a key gives NULL. -#}
{% macro row_key(primary_key, columns) -%}
    {%- set texts = [] -%}
    {%- set types = [] -%}
    {%- for column in primary_key -%}
        {%- do texts.append(
            replication_conflicts.canonical_text(adapter.quote(column), columns[column])
        ) -%}
        {%- do types.append(columns[column]) -%}
    {%- endfor -%}
    {{- replication_conflicts.key_of_texts(texts, types) -}}
{%- endmacro %}
