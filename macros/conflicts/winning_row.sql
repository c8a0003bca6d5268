{#- The publisher's row after a decision, as canonical text; NULL where it holds none. Over the
    columns of change_outcomes. -#}
{% macro winning_row() -%}
    case
        when publisher_version is null then null
        when is_written or {{ replication_conflicts.is_refused_command() }}
            then {{ replication_conflicts.written_row() }}
        else held_row
    end
{%- endmacro %}
