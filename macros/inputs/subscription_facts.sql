{#- The relation subscriptions as a query of input_facts: a row per subscription, however many it
    has there. `value`: the type; `unreadable`: what is no number or boolean, or
    nothing. -#}
{% macro subscription_facts(relation) -%}
select
    {{ replication_conflicts.input_facts("'subscription'", {
        'publication': 'publication',
        'subscriber': 'subscriber',
        'value': 'max(type)',
        'number': 'count(*)',
        'priority': 'max(' ~ replication_conflicts.input_value('subscriptions', 'priority') ~ ')',
        'is_republisher': 'max('
            ~ replication_conflicts.input_value('subscriptions', 'republisher') ~ ')',
        'below': 'max(below)',
        'unreadable': "concat_ws(', and the ', max("
            ~ replication_conflicts.unreadable_value('subscriptions', 'priority') ~ '), max('
            ~ replication_conflicts.unreadable_value('subscriptions', 'republisher') ~ '))'
    }) }}
from {{ replication_conflicts.in_one_part(relation) }}
group by publication, subscriber
{%- endmacro %}
