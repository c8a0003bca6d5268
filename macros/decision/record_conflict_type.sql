{#- The number of a conflict of a logical record that is resolved as a whole: 12 an update beats a
    delete, 13 an insert against a change, 14 a delete beats an update; else 1, or 2 where one row
    with column tracking changed on both sides. Without detection by record a row that is not in
    conflict itself has 1.

    losing_operation         what made the losing row: insert, update or delete
    are_winners_deletes      whether everything that won is a delete; are_winners_inserts: an insert
    is_same_row              whether both sides changed that very row: an insert then counts
                             as an update -#}
{% macro record_conflict_type(
    losing_operation, are_winners_deletes, are_winners_inserts, is_same_row, is_detected_whole,
    is_column_tracked
) -%}
    case
        when not {{ is_same_row }} and not {{ is_detected_whole }} then 1
        when {{ losing_operation }} = 'delete' and not {{ are_winners_deletes }} then 12
        when {{ losing_operation }} = 'insert' and not {{ is_same_row }} then 13
        when {{ losing_operation }} <> 'delete' and {{ are_winners_deletes }} then 14
        when
            {{ losing_operation }} <> 'delete'
            and {{ are_winners_inserts }}
            and not {{ is_same_row }}
            then 13
        when {{ is_same_row }} and {{ is_column_tracked }} then 2
        else 1
    end
{%- endmacro %}
