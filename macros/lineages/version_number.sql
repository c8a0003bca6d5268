{#- The number of a version 'node:number'; NULL where the text is no such version. -#}
{% macro version_number(version) -%}
cast(nullif(regexp_extract({{ version }}, '^.*:([0-9]+)$', 1), '') as bigint)
{%- endmacro %}
