{#- Whether a span counts for a session, or a decision of a person, that stands at `place`
    (session_place). -#}
{% macro span_covers(span, place) -%}
(
    {{ span }}.from_place < {{ place }}
    and ({{ span }}.until_place is null or {{ place }} <= {{ span }}.until_place)
)
{%- endmacro %}
