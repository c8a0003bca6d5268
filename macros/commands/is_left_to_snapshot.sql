{#- Whether a rejected change is made right by a snapshot, not by a command. Never NULL. Over the
    columns of change_outcomes.
    Rule: `publisher_wins_reinitialize`. A transaction that breaks a constraint marks no
    subscription: it is compensated under every policy. -#}
{% macro is_left_to_snapshot() -%}
    coalesce(
        outcome = 'rejected'
        and policy = 'publisher_wins_reinitialize'
        and rule <> 'condemned_with_failure',
        false
    )
{%- endmacro %}
