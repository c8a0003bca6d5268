{#- An upload never wins. -#}
{% macro resolver_download_only(given) -%}
{{ replication_conflicts.resolution(given, winner="'held'") }}
{%- endmacro %}
