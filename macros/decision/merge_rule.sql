{#- Merge replication: the name of the rule that decided a change, for people who read the decision
    log. Never NULL.
    `resolver`: the name of the resolver that its article names. -#}
{% macro merge_rule(outcome, is_publisher_change, is_conflict, resolver) -%}
    case
        when {{ outcome }} = 'already_known' then 'lineage'
        when {{ outcome }} = 'same_value' then 'ignore_equal_values'
        when {{ is_publisher_change }} then 'publisher_change'
        when {{ outcome }} = 'failed' then 'constraint'
        when {{ outcome }} = 'merged' then 'column_merge'
        when {{ is_conflict }} then coalesce({{ resolver }}, 'priority')
        else 'clean'
    end
{%- endmacro %}
