{#- An upload always wins; nothing of the article goes down (see distribution_commands). -#}
{% macro resolver_upload_only(given) -%}
{{ replication_conflicts.resolution(winner="'change'") }}
{%- endmacro %}
