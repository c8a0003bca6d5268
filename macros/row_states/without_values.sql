{#- A row_state without the values of its row, which take longest to write. -#}
{% macro without_values(state) -%}
    {{ replication_conflicts.row_state(
        state ~ '.version',
        state ~ '.node',
        state ~ '.change_id',
        state ~ '.is_deleted',
        state ~ '.is_of_this_run',
        lineage=state ~ '.lineage', merge_version=state ~ '.merge_version'
    ) }}
{%- endmacro %}
