{#- Merge replication: the priority with which a change contends. The publisher's has 100.00; a
    server subscription's the one stamped when it was made (`stamped`, else the subscription's);
    a client's 0.00.
    Rule: merge replication, the default resolver. -#}
{% macro change_priority(is_publisher_change, is_client, stamped, subscription_priority) -%}
    case
        when {{ is_publisher_change }} then cast(100 as decimal(5,2))
        when {{ is_client }} then cast(0 as decimal(5,2))
        else coalesce({{ stamped }}, {{ subscription_priority }})
    end
{%- endmacro %}
