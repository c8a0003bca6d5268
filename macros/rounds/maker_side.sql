{#- Who made a version of a row, as a side of a conflict: a struct of `node` and `change_id`. A row
    that no change made, and one that was never there, is the publisher's.
    Rule: the winner over a change that did not know a row is the node that made it.

    state: SQL expression, a row state (row_state_type) -#}
{% macro maker_side(state, publisher='publisher') -%}
struct(coalesce({{ state }}.node, {{ publisher }}) as node, {{ state }}.change_id)
{%- endmacro %}
