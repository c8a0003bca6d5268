{#- The smaller value wins. -#}
{% macro resolver_minimum(given) -%}
{{ replication_conflicts.winner_by_value(given, '<') }}
{%- endmacro %}
