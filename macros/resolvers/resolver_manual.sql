{#- Nobody wins yet: what is held stays, and the conflict waits for a person's decision. -#}
{% macro resolver_manual(given) -%}
{{ replication_conflicts.resolution(given, is_waiting='true') }}
{%- endmacro %}
