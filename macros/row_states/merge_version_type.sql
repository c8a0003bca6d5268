{#- Merge replication: what is kept with a version of a published row beside its lineage, as
    an SQL type.
      writer          who made the version
      known_as        node to version number: a change that knows one of these knows the version.
                      More than one where a row was deleted at several nodes
      column_writers  the last writers of its columns, see column_writers_type -#}
{% macro merge_version_type() -%}
    {{ return(
        'struct<writer:' ~ replication_conflicts.row_writer_type()
        ~ ',known_as:map<string,bigint>,column_writers:'
        ~ replication_conflicts.column_writers_type() ~ '>'
    ) }}
{%- endmacro %}
