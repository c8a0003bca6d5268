{#- The key of a row as one text: the key columns' canonical texts in the order of primary_key, joined with '|'.
    A '\' or '|' inside a value gets a '\' before it, so that two keys never look alike. NULL in a key gives NULL. -#}
{% macro row_key(primary_key, columns) -%}
    {%- set parts = [] -%}
    {%- for column in primary_key -%}
        {%- set text = replication_conflicts.canonical_text(adapter.quote(column), columns[column]) -%}
        {%- if columns[column] | lower == 'string' or columns[column].startswith(('varchar', 'char')) -%}
            {%- do parts.append("replace(replace(" ~ text ~ ", '\\\\', '\\\\\\\\'), '|', '\\\\|')") -%}
        {%- else -%}
            {%- do parts.append(text) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if parts | length == 1 -%}
        {{ parts[0] }}
    {%- else -%}
        concat({{ parts | join(", '|', ") }})
    {%- endif -%}
{%- endmacro %}
