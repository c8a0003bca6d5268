{#- The key of a row as one text (see row_key), from the canonical texts of its key columns, SQL
    expressions, and their types. -#}
{% macro key_of_texts(texts, types) -%}
    {%- set parts = [] -%}
    {%- for text in texts -%}
        {%- if
            types[loop.index0] | lower == 'string'
            or types[loop.index0].startswith(('varchar', 'char'))
        -%}
            {%- do parts.append(
                "replace(replace(" ~ text ~ ", '\\\\', '\\\\\\\\'), '|', '\\\\|')"
            ) -%}
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
