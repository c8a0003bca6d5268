{#- By what a decision of a person tells that a row is as the conflict has left it: the version of
    the row; of a deleted row the version that the delete has made, under queued updating the
    delete's change_id. NULL: the row was never held.
    replication, version, change_id: of the row, SQL expressions; state: what has its
    merge_version -#}
{% macro settled_version(replication, version, change_id, state) -%}
    if(
        {{ replication }} = 'queued',
        coalesce({{ version }}, {{ change_id }}),
        {{ replication_conflicts.writer_version(state) }}
    )
{%- endmacro %}
