{#- A row as the publisher holds it at some moment, as a struct: what decisions about the next
    change look at. Queued updating knows no lineage and no merge_version, and needs the row only
    for constraints; what is not needed is NULL.
      version         GUID or 'node:number'; NULL where the row is deleted
      node            the node whose change made it; '<publisher>*' where a run made it
      change_id       the change that made it, or for which a run made it; NULL for initial rows
      is_deleted      whether the row is gone
      is_of_this_run  whether this run has decided it
      lineage         node to the highest version number that is known of it
      merge_version   see merge_version_type
      row             the values as canonical text, as far as decisions need them -#}
{% macro row_state(
    version, node, change_id, is_deleted, is_of_this_run, lineage='null', merge_version='null',
    row='null'
) -%}
    struct(
        cast({{ version }} as string) as version,
        cast({{ node }} as string) as node,
        cast({{ change_id }} as string) as change_id,
        {{ is_deleted }} as is_deleted,
        {{ is_of_this_run }} as is_of_this_run,
        cast({{ lineage }} as map<string,bigint>) as lineage,
        cast({{ merge_version }} as {{ replication_conflicts.merge_version_type() }})
            as merge_version,
        cast({{ row }} as map<string,string>) as row
    )
{%- endmacro %}
