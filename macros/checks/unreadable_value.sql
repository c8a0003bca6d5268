{#- What stands in a column that people fill where its type asks for something else, `column 'text', must be type`; NULL where it is
    good. An empty field of a seed comes as '' or 'None'. -#}
{% macro unreadable_value(column, data_type) -%}
if(
    trim(cast({{ column }} as string)) not in ('', 'None') and {{ replication_conflicts.input_value(column, data_type) }} is null,
    concat("{{ column }} '", cast({{ column }} as string), "', must be {{ data_type }}"),
    null
)
{%- endmacro %}
