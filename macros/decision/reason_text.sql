{#- One sentence for people: what happened to which row, with both nodes. Of a row that fell with others, why, by the rule. -#}
{% macro reason_text(
    conflict_kind, conflict_type, rule, article, row_key, loser_node, winner_node, failed_constraint, node
) -%}
    case if({{ conflict_type }} in (6, 8, 10), 'refused', {{ conflict_kind }})
        when 'refused' then concat(
            'What ', {{ loser_node }}, ' did to the row ', {{ article }}, ' ', {{ row_key }},
            ' could not be applied at ', {{ node }}, ': ', coalesce({{ failed_constraint }}, 'no error text'), '.'
        )
        when 'update_update' then concat(
            'The row ', {{ article }}, ' ', {{ row_key }}, ' was updated at ', {{ loser_node }}, ' and at ',
            {{ winner_node }}, ', neither knowing of the other; the row of ', {{ winner_node }}, ' stays.'
        )
        when 'insert_insert' then concat(
            'The row ', {{ article }}, ' ', {{ row_key }}, ' was inserted at ', {{ loser_node }}, ' and at ',
            {{ winner_node }}, '; the row of ', {{ winner_node }}, ' stays.'
        )
        when 'condemned' then concat(
            'The change of ', {{ loser_node }}, ' to the row ', {{ article }}, ' ', {{ row_key }},
            case {{ rule }}
                when 'condemned_with_failure' then concat(
                    ' was undone together with its transaction, of which another change could not be applied at ',
                    {{ winner_node }}
                )
                when 'waits_for_reinitialization' then concat(
                    ' was undone at ', {{ winner_node }}, ', because ', {{ loser_node }}, ' has to take a new snapshot first'
                )
                when 'logical_record' then concat(
                    ' was undone together with its logical record, which lost against ', {{ winner_node }}
                )
                when 'condemned_with_record' then concat(
                    ' was not applied, because another change of its logical record could not be applied at ',
                    {{ winner_node }}
                )
                else concat(' was undone together with its transaction, which lost against ', {{ winner_node }})
            end,
            '.'
        )
        when 'failed_insert' then concat(
            'The row ', {{ article }}, ' ', {{ row_key }}, ' was inserted at ', {{ loser_node }},
            ' and could not be inserted at ', {{ winner_node }}, ': ', {{ failed_constraint }}, '.'
        )
        when 'failed_update' then concat(
            'The row ', {{ article }}, ' ', {{ row_key }}, ' was updated at ', {{ loser_node }},
            ' and could not be updated at ', {{ winner_node }}, ': ', {{ failed_constraint }}, '.'
        )
        when 'failed_delete' then concat(
            'The row ', {{ article }}, ' ', {{ row_key }}, ' was deleted at ', {{ loser_node }},
            ' and could not be deleted at ', {{ winner_node }}, ': ', {{ failed_constraint }}, '.'
        )
        else if(
            {{ conflict_type }} in (3, 14),
            concat(
                'The row ', {{ article }}, ' ', {{ row_key }}, ' was updated at ', {{ loser_node }},
                ' and deleted at ', {{ winner_node }}, '; the delete stays.'
            ),
            concat(
                'The row ', {{ article }}, ' ', {{ row_key }}, ' was deleted at ', {{ loser_node }},
                ' and updated at ', {{ winner_node }}, '; the update stays.'
            )
        )
    end
{%- endmacro %}
