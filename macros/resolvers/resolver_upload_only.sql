{#- An upload always wins; nothing of the article goes down (is_downloaded in
    configured_articles). -#}
{% macro resolver_upload_only(given) -%}
{{ replication_conflicts.resolution(given, winner="'change'") }}
{%- endmacro %}
