{#- The row that a decision of a person leaves, as canonical text: of a winner that is submitted the
    held row with the columns that are edited, which `change_row` has beside the key; of anything
    else `otherwise`. Over the columns intervention and change_row.

    held_row: the row that is held, map<string,string>.  otherwise: SQL expression of that type -#}
{% macro edited_row(held_row, otherwise) -%}
    if(
        intervention.kind = 'submit_winner',
        {{ replication_conflicts.overlaid_row(held_row, 'change_row') | indent(8) }},
        {{ otherwise }}
    )
{%- endmacro %}
