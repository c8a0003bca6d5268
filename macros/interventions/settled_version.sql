{#- By what a decision of a person tells that a row is as the conflict has left it: the version of the row; of a deleted row the
    version that the delete has made, under queued updating the delete's change_id. NULL: the row was never held.
    replication, version, change_id, merge_version: of the row, SQL expressions -#}
{% macro settled_version(replication, version, change_id, merge_version) -%}
if(
        {{ replication }} = 'queued',
        coalesce({{ version }}, {{ change_id }}),
        {{ replication_conflicts.version_text(merge_version ~ '.writer.node', merge_version ~ '.writer.number') }}
    )
{%- endmacro %}
