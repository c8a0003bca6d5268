{#- A version of merge replication as text. -#}
{% macro version_text(node, number) -%}
concat({{ node }}, ':', cast({{ number }} as string))
{%- endmacro %}
