{#- An upload never wins. -#}
{% macro resolver_download_only(given) -%}
{{ replication_conflicts.resolution(winner="'held'") }}
{%- endmacro %}
