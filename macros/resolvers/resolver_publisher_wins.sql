{#- What the publisher holds wins, whatever the conflict. Rule: the documented resolver 'Publisher
    wins'. -#}
{% macro resolver_publisher_wins(given) -%}
{{ replication_conflicts.resolution(given, winner="'held'") }}
{%- endmacro %}
