{#- The name of the temporary view in which an invocation notes what the log has for which table
    (note_log_news): one of its own, since a session may serve several. -#}
{% macro log_news_view() -%}
    {{ return('log_news_' ~ invocation_id | replace('-', '_')) }}
{%- endmacro %}
