{#- Merge replication: the name of the rule that decided a change of a logical record, or a row that
    the run wrote for one.
    `rule_alone`: that of merge_rule. -#}
{% macro record_rule(record_verdict, is_run_row, outcome, rule_alone) -%}
    case
        when {{ outcome }} = 'rejected' then 'condemned_with_record'
        when {{ is_run_row }} or ({{ record_verdict }} is not null and {{ outcome }} <> 'failed')
            then 'logical_record'
        else {{ rule_alone }}
    end
{%- endmacro %}
