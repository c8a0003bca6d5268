{#- Whether a span counts for a session that ends at `position`. -#}
{% macro is_at(span, position) -%}
{{ span }}.from_position < {{ position }}
            and {{ position }} <= coalesce({{ span }}.until_position, {{ replication_conflicts.never() }})
{%- endmacro %}
