{#- Whether a text is a part of a column type: YAML ends a value at a comma, where braces are around
    it and no quotes. -#}
{% macro is_cut_type(text) -%}
    {{ return(
        text is string
        and (text.count('(') != text.count(')') or text.count('<') != text.count('>'))
    ) }}
{%- endmacro %}
