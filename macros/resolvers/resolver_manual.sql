{#- Nobody wins yet: what is held stays, and the conflict waits for a person's decision. -#}
{% macro resolver_manual(given) -%}
{{ replication_conflicts.resolution(given, winner="'held'", is_waiting='true') }}
{%- endmacro %}
