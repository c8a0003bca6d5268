{#- An expression over an article's columns, as the configuration has it (a check, a row filter), for a row that is a
    map<string,string>. Every column that the expression may mean is bound, under its own name, to the row's typed value. -#}
{% macro row_expression(expression, columns, row) -%}
    {%- set bound = namespace(text='(' ~ expression ~ ')') -%}
    {%- for column, data_type in columns.items() if column | lower in expression | lower -%}
        {%- set bound.text = 'transform(array(' ~ replication_conflicts.typed_value(row ~ "['" ~ column ~ "']", data_type)
            ~ '), ' ~ adapter.quote(column) ~ ' -> ' ~ bound.text ~ ')[0]' -%}
    {%- endfor -%}
    {{ return(bound.text) }}
{%- endmacro %}
