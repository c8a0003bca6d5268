{#- An expression over an article's columns, as the configuration has it (a check, a row filter),
    for a row that is a map<string,string>. Every column that the expression may mean is bound,
    under its own name, to the row's typed value. The row is bound before, and once: read from
    within the columns' names, it could mean one of them. Its own name is one that no column can
    have, because of its space. -#}
{% macro row_expression(expression, columns, row) -%}
    {%- set bound_row = adapter.quote('the row') -%}
    {%- set bound = namespace(
        text='(' ~ replication_conflicts.with_escaped_breaks(expression) ~ ')', has_columns=false
    ) -%}
    {%- for column, data_type in columns.items() if column | lower in expression | lower -%}
        {%- set bound.has_columns = true -%}
        {%- set value = replication_conflicts.typed_value(
            bound_row ~ "['" ~ column ~ "']", data_type
        ) -%}
        {%- set bound.text = 'transform(array(' ~ value ~ '), ' ~ adapter.quote(column)
            ~ ' -> ' ~ bound.text ~ ')[0]' -%}
    {%- endfor -%}
    {%- if bound.has_columns -%}
        {%- set bound.text = (
            'transform(array(' ~ row ~ '), ' ~ bound_row ~ ' -> ' ~ bound.text ~ ')[0]'
        ) -%}
    {%- endif -%}
    {{ return(bound.text) }}
{%- endmacro %}
