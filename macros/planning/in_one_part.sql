{#- A small relation, to be read as one part of a query: what is grouped then needs no shuffle, each
    of which takes as long as reading the whole relation does. -#}
{% macro in_one_part(relation) -%}
(select /*+ coalesce(1) */ * from {{ relation }})
{%- endmacro %}
