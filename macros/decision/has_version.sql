{#- Whether a change says which version of its row it was made on, as the contract asks. Queued
    updating: an insert names the new version, an update both, a delete the old one. Merge
    replication: a lineage with the change's own version in it, or without any lineage the place up
    to which the node had downloaded. Never NULL. -#}
{% macro has_version(
    replication, operation, old_version, new_version, lineage, known_position, node
) -%}
    case
        when {{ replication }} = 'merge'
            then if({{ lineage }} is null, {{ known_position }}, {{ lineage }}[{{ node }}])
                is not null
        when {{ operation }} = 'insert' then {{ new_version }} is not null
        when {{ operation }} = 'update'
            then {{ old_version }} is not null and {{ new_version }} is not null
        when {{ operation }} = 'delete' then {{ old_version }} is not null
        else true
    end
{%- endmacro %}
