{#- One sentence for people: what happened to which row, with both nodes. Of a row that fell with
    others, why, by the rule. Where loser and winner are one node, the change was not made from that
    node's version which the publisher held. A row that is gone, or never was, need not have been
    deleted by a change. -#}
{% macro reason_text(
    conflict_kind, conflict_type, rule, article, row_key, loser_node, loser_change_id, winner_node,
    winner_change_id, failed_constraint, node, is_written
) -%}
{%- set is_of_one_node = loser_node ~ ' = ' ~ winner_node -%}
{%- set has_delete_won = conflict_type ~ ' in (3, 14)' -%}
    case if({{ conflict_type }} in (6, 8, 10), 'refused', {{ conflict_kind }})
        when 'refused' then concat(
            'What ', {{ loser_node }}, ' did to the row ', {{ article }}, ' ', {{ row_key }},
            ' could not be applied at ', {{ node }}, ': ',
            coalesce({{ failed_constraint }}, 'no error text'), '.'
        )
        when 'condemned' then concat(
            'The change of ', {{ loser_node }}, ' to the row ', {{ article }}, ' ', {{ row_key }},
            case {{ rule }}
                when 'condemned_with_failure' then concat(
                    ' was undone together with its transaction, of which another change could not',
                    ' be applied at ', {{ winner_node }}
                )
                when 'waits_for_reinitialization' then concat(
                    ' was undone at ', {{ winner_node }}, ', because ', {{ loser_node }},
                    ' has to take a new snapshot first'
                )
                when 'logical_record' then concat(
                    ' was undone together with its logical record, which lost against ',
                    {{ winner_node }}
                )
                when 'condemned_with_record' then concat(
                    ' was not applied, because another change of its logical record could not',
                    ' be applied at ', {{ winner_node }}
                )
                else if(
                    {{ is_of_one_node }},
                    concat(
                        ' was undone together with its transaction: another change of it was',
                        ' not made from the version that the publisher held, which ',
                        {{ winner_node }}, ' had made, too'
                    ),
                    concat(
                        ' was undone together with its transaction, which lost against ',
                        {{ winner_node }}
                    )
                )
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
        else case
            when
                {{ conflict_kind }} in ('update_delete', 'delete_update')
                and if({{ has_delete_won }}, {{ winner_change_id }}, {{ loser_change_id }}) is null
                then concat(
                    'The row ', {{ article }}, ' ', {{ row_key }}, ' was updated at ',
                    if({{ has_delete_won }}, {{ loser_node }}, {{ winner_node }}), ', and ',
                    if({{ has_delete_won }}, {{ winner_node }}, {{ loser_node }}),
                    ' had no such row; ',
                    if({{ has_delete_won }}, 'there is none now.', 'the update stays.')
                )
            when {{ is_of_one_node }} then concat(
                'The row ', {{ article }}, ' ', {{ row_key }}, ' was ',
                case substring_index({{ conflict_kind }}, '_', 1)
                    when 'insert' then 'inserted'
                    when 'update' then 'updated'
                    else 'deleted'
                end,
                ' at ', {{ loser_node }},
                ', but not from the version that the publisher held, which ', {{ winner_node }},
                ' had made, too; ',
                if({{ is_written }}, 'the change stays.', 'that version stays.')
            )
            when {{ conflict_kind }} = 'update_update' then concat(
                'The row ', {{ article }}, ' ', {{ row_key }}, ' was updated at ', {{ loser_node }},
                ' and at ', {{ winner_node }}, ', neither knowing of the other; the row of ',
                {{ winner_node }}, ' stays.'
            )
            when {{ conflict_kind }} = 'insert_insert' then concat(
                'The row ', {{ article }}, ' ', {{ row_key }}, ' was inserted at ',
                {{ loser_node }}, ' and at ', {{ winner_node }}, '; the row of ', {{ winner_node }},
                ' stays.'
            )
            when {{ has_delete_won }} then concat(
                'The row ', {{ article }}, ' ', {{ row_key }}, ' was updated at ', {{ loser_node }},
                ' and deleted at ', {{ winner_node }}, '; the delete stays.'
            )
            else concat(
                'The row ', {{ article }}, ' ', {{ row_key }}, ' was deleted at ', {{ loser_node }},
                ' and updated at ', {{ winner_node }}, '; the update stays.'
            )
        end
    end
{%- endmacro %}
