{#- Merge replication: whether a change stands, 'accepted', loses, 'rejected', or cannot be applied,
    'failed'. Never NULL. What is done at the publisher stands. -#}
{% macro merge_verdict(is_publisher_change, conflict_kind, failure, is_change_winner) -%}
    case
        when {{ failure }} is not null then 'failed'
        when {{ is_publisher_change }} or {{ conflict_kind }} is null or {{ is_change_winner }}
            then 'accepted'
        else 'rejected'
    end
{%- endmacro %}
