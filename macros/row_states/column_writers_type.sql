{#- Merge replication: the last writers of a row's columns, as an SQL type. A row is mostly written
    as a whole and then a column here and there, so what is kept grows with those, not with the
    width of the row.
      named   column to its last writer, where a change wrote some columns and not all
      others  the last writer of all that are not named, under row tracking of the row; NULL where
              none is left -#}
{% macro column_writers_type() -%}
    {{ return(
        'struct<named:map<string,' ~ replication_conflicts.row_writer_type() ~ '>,others:'
        ~ replication_conflicts.row_writer_type() ~ '>'
    ) }}
{%- endmacro %}
