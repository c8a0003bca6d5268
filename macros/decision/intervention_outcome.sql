{#- What becomes of a decision of a person, or of a refused command, when its place in the queue has
    come: 'applied'; 'stale', the conflict is decided already or its row has changed since; 'failed'
    for a refused command. NULL for a change.
    kind: submit_winner, submit_loser, remove, refused_command or NULL; is_gone: whether the
    conflict has been decided; is_writing: whether it makes a version of the row; settled_version,
    held_version: the row's version as the conflict left it and now, a tombstone's too; is_row_held:
    whether the row is there.
    Rule: a decision is about the row that its author has seen, so a row that has changed since
    makes every decision stale; a winner that is deleted cannot be edited; conflicts of queued
    updating can only be removed. -#}
{% macro intervention_outcome(
    kind, is_gone, is_writing, settled_version, held_version, is_row_held, replication
) -%}
    case
        when {{ kind }} is null then null
        when {{ kind }} = 'refused_command' then 'failed'
        when {{ is_gone }} or not {{ settled_version }} <=> {{ held_version }} then 'stale'
        when {{ replication }} = 'queued' and {{ kind }} <> 'remove' then 'stale'
        when {{ kind }} = 'submit_winner' and {{ is_writing }} and not {{ is_row_held }}
            then 'stale'
        else 'applied'
    end
{%- endmacro %}
