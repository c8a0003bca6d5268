{#- The side of a conflict that has lost, a struct of `node` and `change_id`; NULL where there is no
    conflict. Over the columns of a decision: conflict_kind, intervention, is_rejected and opponent,
    who stands against the change. -#}
{% macro losing_side() -%}
    case
        when conflict_kind is null then null
        when intervention is not null then intervention.loser
        when is_rejected then struct(node, change_id)
        else opponent
    end
{%- endmacro %}
