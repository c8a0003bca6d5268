{#- The row with the larger value in a column made for that purpose wins. -#}
{% macro resolver_priority_column(given) -%}
{{ replication_conflicts.winner_by_value(given, '>') }}
{%- endmacro %}
