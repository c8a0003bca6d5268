{#- The changes of sessions that are decided as records, one row per change: `is_settled` where
    the publisher has it already, or the same value (ignore_equal_values), and it takes no
    part. A statement. -#}
{% macro record_changes(alone, groups) -%}
select
    alone.*,
    groups.group_key,
    groups.change_tops,
    groups.is_detected_whole,
    groups.is_resolved_whole,
    coalesce(
        alone.comparison = 'ancestor'
        or (alone.operation = 'delete' and not alone.is_row_held)
        or alone.is_same_value,
        false
    ) as is_settled
from {{ alone }} as alone
inner join {{ groups }} as groups
    on
        alone.publication = groups.publication
        and alone.change_id = groups.change_id
where not alone.is_run_row
{%- endmacro %}
