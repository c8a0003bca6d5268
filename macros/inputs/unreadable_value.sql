{#- What stands in a column that people fill where its type asks for something else, `column 'text',
    must be type`; NULL where it is good. An empty field of a seed comes as '' or 'None'. `name`,
    `column`: as input_columns has them. -#}
{% macro unreadable_value(name, column) -%}
if(
    trim(cast({{ column }} as string)) not in ('', 'None')
    and {{ replication_conflicts.input_value(name, column) }} is null,
    concat(
        "{{ column }} '",
        cast({{ column }} as string),
        "', must be {{ replication_conflicts.input_columns(name)[column] }}"
    ),
    null
)
{%- endmacro %}
