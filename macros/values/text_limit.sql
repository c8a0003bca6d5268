{#- How many characters a text may have by its column's type, varchar(n) or char(n); none
    for other types. -#}
{% macro text_limit(data_type) -%}
    {{ return(
        modules.re.findall('^(?:var)?char\\((\\d+)\\)$', data_type | lower | replace(' ', ''))
        | map('int') | first | default(none)
    ) }}
{%- endmacro %}
