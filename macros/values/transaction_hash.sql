{#- The transaction of a change as a number, for sorting, as row_hash is for rows. -#}
{% macro transaction_hash(relation=none) -%}
{%- set prefix = relation ~ '.' if relation else '' -%}
xxhash64({{ prefix }}publication, {{ prefix }}transaction_key)
{%- endmacro %}
