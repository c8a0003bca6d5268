{#- A row that the publisher held when the run began, as a row_state, over the columns of
    held_rows. -#}
{% macro held_row_state(publication, with_values) -%}
{%- set is_merged = replication_conflicts.is_merge(publication) -%}
    {{ replication_conflicts.row_state(
        'row_version', 'version_node', 'version_change_id', 'is_deleted', is_of_this_run='false',
        lineage='lineage' if is_merged else 'null',
        merge_version='merge_version' if is_merged else 'null',
        row='held_row' if with_values else 'null'
    ) }}
{%- endmacro %}
