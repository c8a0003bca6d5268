{#- The later value of a date or timestamp column wins. -#}
{% macro resolver_later_wins(given) -%}
{{ replication_conflicts.winner_by_value(given, '>') }}
{%- endmacro %}
