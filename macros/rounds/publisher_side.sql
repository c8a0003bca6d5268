{#- The publisher as a side of a conflict, a struct of `node` and `change_id`: no change of its own
    stands for what it holds.
    Rule: the winner over failed changes, and over what falls with them, is the publisher. -#}
{% macro publisher_side(publisher='publisher') -%}
struct({{ publisher }} as node, cast(null as string) as change_id)
{%- endmacro %}
