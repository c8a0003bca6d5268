{#- Merge replication: how a change stands to the version of its row that the publisher holds when
    it is looked at. The first that holds of: 'descendant' where no row was ever held; 'ancestor',
    its own version is in the held lineage already; 'descendant', it was made in the knowledge of
    the held version; 'concurrent'. Never NULL.
    `held` is a row_state. -#}
{% macro lineage_comparison(lineage, known_position, node, held) -%}
    case
        when {{ held }} is null then 'descendant'
        when {{ held }}.lineage[{{ node }}] >= {{ lineage }}[{{ node }}] then 'ancestor'
        when
            {{ replication_conflicts.knows_row(lineage, known_position, node, held) }}
            then 'descendant'
        else 'concurrent'
    end
{%- endmacro %}
