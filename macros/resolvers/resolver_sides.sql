{#- The resolvers that name a side, whatever the conflict: what the publisher holds, or what was uploaded.
    Rule: the documented resolvers 'Publisher wins', 'Subscriber wins', 'Upload only' and 'Download only'. -#}
{% macro resolver_publisher_wins(given) -%}
{{ replication_conflicts.resolution(winner="'held'") }}
{%- endmacro %}


{% macro resolver_subscriber_wins(given) -%}
{{ replication_conflicts.resolution(winner="'change'") }}
{%- endmacro %}


{#- An upload never wins. -#}
{% macro resolver_download_only(given) -%}
{{ replication_conflicts.resolution(winner="'held'") }}
{%- endmacro %}


{#- An upload always wins; nothing of the article goes down (see distribution_commands). -#}
{% macro resolver_upload_only(given) -%}
{{ replication_conflicts.resolution(winner="'change'") }}
{%- endmacro %}
