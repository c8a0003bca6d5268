{#- Merge replication: the priority with which a version defends itself once it is held by the
    publisher. A client's change then counts as the publisher's own, 100.00; any other keeps what
    it contended with.
    Rule: merge replication, the default resolver. -#}
{% macro defending_priority(is_publisher_change, is_client, stamped, subscription_priority) -%}
    if(
        {{ is_client }} and not {{ is_publisher_change }},
        cast(100 as decimal(5,2)),
        {{ replication_conflicts.change_priority(
            is_publisher_change, is_client, stamped, subscription_priority
        ) | indent(4) }}
    )
{%- endmacro %}
