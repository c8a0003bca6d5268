{#- What was uploaded wins, whatever the conflict. Rule: the documented resolver 'Subscriber
    wins'. -#}
{% macro resolver_subscriber_wins(given) -%}
{{ replication_conflicts.resolution(given, winner="'change'") }}
{%- endmacro %}
