{#- The last writers of a row's columns as a struct; its type is column_writers_type. -#}
{% macro column_writers(named, others) -%}
    struct(
        cast({{ named }} as map<string,{{ replication_conflicts.row_writer_type() }}>) as named,
        cast({{ others }} as {{ replication_conflicts.row_writer_type() }}) as others
    )
{%- endmacro %}
