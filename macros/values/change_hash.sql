{#- The id of a change as a number, for sorting and looking up, as row_hash is for rows.

    publication, change_id: SQL expressions -#}
{% macro change_hash(publication='publication', change_id='change_id') -%}
xxhash64({{ publication }}, {{ change_id }})
{%- endmacro %}
