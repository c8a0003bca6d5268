{#- The row of a change as a number. Where rows are sorted for a window or a join, Spark compares
    the first eight bytes of the first column before it looks at anything else: those of a
    publication's name, or of a key, are mostly the same. So the hash leads the columns that it is
    made of; it never stands for them. -#}
{% macro row_hash(publication='publication', article='article') -%}
xxhash64({{ publication }}, {{ article }}, row_key)
{%- endmacro %}
