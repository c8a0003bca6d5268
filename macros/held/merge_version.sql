{#- Merge replication: who wrote a version of a row, or a column of it, as a struct. `priority` is what it defends itself with,
    `transaction_position` the place where its session ended, `queue_position` the place of the change itself. Structs of this
    kind are compared by priority first, then by place: the largest of several is the one that answers for all of them. -#}
{% macro row_writer(priority, transaction_position, queue_position, node, number, change_id) -%}
struct(
        cast({{ priority }} as decimal(5,2)) as priority,
        cast({{ transaction_position }} as bigint) as transaction_position,
        cast({{ queue_position }} as bigint) as queue_position,
        cast({{ node }} as string) as node,
        cast({{ number }} as bigint) as number,
        cast({{ change_id }} as string) as change_id
    )
{%- endmacro %}


{#- The SQL type of row_writer. -#}
{% macro row_writer_type() -%}
    {{ return(
        'struct<priority:decimal(5,2),transaction_position:bigint,queue_position:bigint,node:string,number:bigint,'
        ~ 'change_id:string>'
    ) }}
{%- endmacro %}


{#- Merge replication: what is kept with a version of a published row beside its lineage, as an SQL type.
      writer          who made the version
      known_as        node to version number: a change that knows one of these knows the version. More than one where a
                      row was deleted at several nodes
      column_writers  column to its last writer; '*' stands for the whole row under row tracking -#}
{% macro merge_version_type() -%}
    {{ return(
        'struct<writer:' ~ replication_conflicts.row_writer_type() ~ ',known_as:map<string,bigint>,column_writers:map<string,'
        ~ replication_conflicts.row_writer_type() ~ '>>'
    ) }}
{%- endmacro %}
