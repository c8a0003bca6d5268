{#- Merge replication: whether a change of a subscriber's is stamped with a priority that no
    subscription may have: 0.00 to 99.99 lie below the publisher's. What the publisher's changes are
    stamped with says nothing.
    Rule: merge replication, subscriptions. -#}
{% macro has_invalid_priority(is_publisher_change, stamped) -%}
(not ({{ is_publisher_change }}) and coalesce({{ stamped }} not between 0.00 and 99.99, false))
{%- endmacro %}
