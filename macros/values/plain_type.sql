{#- A column's type for comparison: without spaces, and a text of limited length as a string, because Delta shows it as one. -#}
{% macro plain_type(data_type) -%}
    {{ return(modules.re.sub('(var)?char\\(\\d+\\)', 'string', data_type | lower | replace(' ', ''))) }}
{%- endmacro %}
