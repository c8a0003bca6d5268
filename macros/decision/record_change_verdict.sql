{#- Merge replication: whether a change of a logical record, or a row that the run writes for
    one, stands or falls. A change that cannot be applied takes all with it that is decided
    together with it.
    `verdict_alone`: that of merge_verdict. -#}
{% macro record_change_verdict(
    is_run_row, failure, has_record_failure, is_allowed, verdict_alone
) -%}
    case
        when {{ failure }} is null and {{ has_record_failure }} and {{ is_allowed }} then 'rejected'
        when {{ is_run_row }} then 'accepted'
        else {{ verdict_alone }}
    end
{%- endmacro %}
