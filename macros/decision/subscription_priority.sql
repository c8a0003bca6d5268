{#- The priority of a subscription: its own for a server subscription (default_priority where none
    is given), 0.00 for a client.
    Rule: merge replication, subscription types. -#}
{% macro subscription_priority(subscription_type, priority) -%}
if(
    {{ subscription_type }} = 'client',
    cast(0 as decimal(5,2)),
    coalesce(
        {{ replication_conflicts.input_value('subscriptions', 'priority', priority) }},
        cast({{ replication_conflicts.default_priority() }} as decimal(5,2))
    )
)
{%- endmacro %}
