{#- Who has made the version of a row that the publisher holds after a decision, as a struct of node
    and change_id: the change itself where it was written, else who had made what was held. What a
    run makes itself, and rows of the initial snapshot, are the publisher's, and no change's of it:
    of a merged row the log names the change behind it, which is another node's.
    Rule: the loser of a refused command is the node that made the version which the command
    brought. -#}
{% macro version_maker(
    is_written, version_node, version_change_id, held_node, held_change_id, publisher
) -%}
{%- set maker = 'if(' ~ is_written ~ ', ' ~ version_node ~ ', ' ~ held_node ~ ')' -%}
    case
        when {{ maker }} <=> {{ replication_conflicts.run_node(publisher) }}
            then {{ replication_conflicts.publisher_side(publisher) }}
        else struct(
            coalesce({{ maker }}, {{ publisher }}) as node,
            if({{ is_written }}, {{ version_change_id }}, {{ held_change_id }}) as change_id
        )
    end
{%- endmacro %}
