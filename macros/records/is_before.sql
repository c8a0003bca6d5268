{#- Whether a span is of a version that was there when a decision of a person, or a refused command, acted. Such a decision acts behind
    a place of the queue, and several may act behind one. -#}
{% macro is_before(span, intervention) -%}
{{ span }}.from_position <= {{ intervention }}.transaction_position
            and {{ intervention }}.transaction_position <= coalesce({{ span }}.until_position, {{ replication_conflicts.never() }})
            and (
                {{ span }}.version_from < {{ intervention }}.transaction_position
                or {{ span }}.version_position < {{ intervention }}.queue_position
            )
{%- endmacro %}
