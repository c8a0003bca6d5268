{#- The earlier value of a date or timestamp column wins. -#}
{% macro resolver_earlier_wins(given) -%}
{{ replication_conflicts.winner_by_value(given, '<') }}
{%- endmacro %}
