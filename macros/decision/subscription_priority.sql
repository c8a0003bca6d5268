{#- The priority of a subscription: its own for a server subscription (75.00 where none is given), 0.00 for a client.
    Rule: merge replication, subscription types. -#}
{% macro subscription_priority(subscription_type, priority) -%}
if({{ subscription_type }} = 'client', cast(0 as decimal(5,2)), coalesce({{ priority }}, cast(75 as decimal(5,2))))
{%- endmacro %}
