{#- Merge replication: the values of the row after a change that stands. Under column tracking a
    change that is not in conflict writes its columns and leaves the others as they are held; any
    other replaces the whole row. What is deleted is kept as it was held. -#}
{% macro merged_row(keeps_other_columns, operation, written_columns, change_row, held) -%}
    case
        when {{ keeps_other_columns }} then transform_values(
            {{ held }}.row,
            (written_column, held_value) -> if(
                array_contains({{ written_columns }}, written_column),
                {{ change_row }}[written_column],
                held_value
            )
        )
        when {{ operation }} = 'delete' then coalesce({{ held }}.row, {{ change_row }})
        else {{ change_row }}
    end
{%- endmacro %}
