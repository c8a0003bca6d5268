{#- Whether a column cannot hold what somebody has written as a text: a condition, false
    for a NULL. Never NULL.

    text: SQL expression.  data_type: the type of the column -#}
{% macro cannot_hold(text, data_type) -%}
{%- set kind = data_type | lower | trim -%}
{%- set value = replication_conflicts.typed_value(text, data_type) -%}
{%- set limit = replication_conflicts.text_limit(data_type) -%}
{{ text }} is not null
and (
    {{ value }} is null
    or {{ replication_conflicts.loses_digits(text, value, data_type) | indent(4) }}
    {%- if kind.startswith('struct') %}
    -- of a text that is no such object Spark makes one without values
    or get_json_object({{ text }}, '$') is null
    or not startswith(ltrim({{ text }}), '{')
    {%- elif limit %}
    or length({{ text }}) > {{ limit }}
    {%- endif %}
)
{%- endmacro %}
