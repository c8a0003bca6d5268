{#- The relation conflict_decisions as a query, each decision with its id. Who decided and why does
    not count for the id: a reason may be corrected later. -#}
{% macro identified_decisions() -%}
{%- set decisions = ref('conflict_decisions') -%}
select
    *,
    concat('decision/', md5(to_json(struct(
        conflict_id,
        decision,
        array_sort(map_entries(edited)) as edited,
        queue_position
    )))) as intervention_id
from (
    select
        conflict_id,
        decision,
        {{ replication_conflicts.edited_values(decisions) if execute else 'edited' }} as edited,
        author,
        reason,
        {{ replication_conflicts.input_value('conflict_decisions', 'queue_position') }}
            as queue_position
    from {{ decisions }}
)
{%- endmacro %}
