{#- Whether a transaction stands or falls, 'accepted' or 'rejected': one verdict for all its
    changes. Never NULL.
    is_publisher_change: what is done at the publisher is the published state and always stands
    is_waiting:          whether its subscription waits for a reinitialization
    has_conflict:        whether a change of the transaction is in conflict
    has_failure:         whether one breaks a constraint: that cannot be carried, under no policy
    Rule: the conflict policies of queued updating (publisher wins, publisher wins and
    reinitialize, subscriber wins). -#}
{% macro queued_verdict(policy, is_publisher_change, is_waiting, has_conflict, has_failure) -%}
    case
        when {{ is_publisher_change }} then 'accepted'
        when {{ is_waiting }} then 'rejected'
        when {{ has_failure }} then 'rejected'
        when {{ policy }} = 'subscriber_wins' then 'accepted'
        when {{ has_conflict }} then 'rejected'
        else 'accepted'
    end
{%- endmacro %}
