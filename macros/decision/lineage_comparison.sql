{#- Merge replication: how a change stands to the version of its row that the publisher holds when it is looked at. The first
    that holds of: 'descendant' where no row was ever held; 'ancestor', its own version is in the held lineage already;
    'descendant', it was made in the knowledge of the held version; 'concurrent'. Never NULL.
    `held` is a row_state. -#}
{% macro lineage_comparison(lineage, known_position, node, held) -%}
case
        when {{ held }} is null then 'descendant'
        when {{ held }}.lineage[{{ node }}] >= {{ lineage }}[{{ node }}] then 'ancestor'
        when
            size({{ held }}.merge_version.known_as) = 0
            or exists(
                map_entries({{ held }}.merge_version.known_as),
                known_version -> {{ replication_conflicts.knows_version(
                    lineage, known_position, node, 'known_version.key', 'known_version.value',
                    held ~ '.merge_version.writer.transaction_position'
                ) | indent(16) }}
            )
            then 'descendant'
        else 'concurrent'
    end
{%- endmacro %}
