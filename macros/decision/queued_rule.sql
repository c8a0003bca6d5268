{#- Queued updating: the name of the rule that decided a change, for people who read the decision
    log. Never NULL. Only under subscriber_wins can a transaction have both a conflict and a
    failure: under the other policies a conflict ends it before constraints are asked. -#}
{% macro queued_rule(
    policy, is_publisher_change, is_waiting, has_conflict, is_conflict, has_failure, failure
) -%}
    case
        when {{ is_publisher_change }} then 'publisher_change'
        when {{ is_waiting }} then 'waits_for_reinitialization'
        when {{ failure }} is not null then 'constraint'
        when {{ has_failure }} then 'condemned_with_failure'
        when not {{ has_conflict }} then 'clean'
        when {{ is_conflict }} then {{ policy }}
        when {{ policy }} = 'subscriber_wins' then 'clean'
        else 'condemned_with_transaction'
    end
{%- endmacro %}
