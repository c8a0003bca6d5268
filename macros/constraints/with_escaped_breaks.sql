{#- An expression of the configuration with every line break in a text of it written as `\n`:
    where SQL is put together its lines are indented, and the text would be another one. Texts
    are in quotes; what stands in a comment, between backticks or in a raw text (r'...') stays
    as it is. -#}
{% macro with_escaped_breaks(expression) -%}
    {%- set token = "(?s)--[^\n]*|/\\*.*?\\*/|`[^`]*`"
        ~ "|[rR]'[^']*'|[rR]\"[^\"]*\""
        ~ "|'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"\\\\]|\\\\.)*\"|." -%}
    {%- set written = [] -%}
    {%- for found in modules.re.findall(token, expression) -%}
        {%- if found[0] in ["'", '"'] -%}
            {%- do written.append(found | replace('\n', '\\n') | replace('\r', '\\r')) -%}
        {%- else -%}
            {%- do written.append(found) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(written | join) }}
{%- endmacro %}
