{#- The larger value wins. -#}
{% macro resolver_maximum(given) -%}
{{ replication_conflicts.winner_by_value(given, '>') }}
{%- endmacro %}
