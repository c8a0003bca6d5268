{#- What a decision of a person, or a refused command, brings along beside what a change has, as
    an SQL type.
      kind             submit_winner, submit_loser, remove or refused_command
      conflict_id      the conflict that a decision is about
      is_gone          whether that conflict has been decided in an earlier run
      settled_version  the version that the row must still have
      is_writing       whether it makes a version of the row
      lost_row         refused_command: the row that the command carried; so the next ones:
      subscriber       who refused it
      operation        what the command was to do
      failure          the subscriber's error
      loser            the change behind the command -#}
{% macro intervention_type() -%}
    {{ return(
        'struct<kind:string,conflict_id:string,is_gone:boolean,settled_version:string,'
        ~ 'is_writing:boolean,lost_row:map<string,string>,subscriber:string,operation:string,'
        ~ 'failure:' ~ replication_conflicts.failure_type()
        ~ ',loser:struct<node:string,change_id:string>>'
    ) }}
{%- endmacro %}
