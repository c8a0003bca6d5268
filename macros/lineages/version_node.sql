{#- The node of a version 'node:number'. -#}
{% macro version_node(version) -%}
regexp_extract({{ version }}, '^(.*):[0-9]+$', 1)
{%- endmacro %}
