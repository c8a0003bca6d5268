{#- A value that people give, which a seed may have as text; NULL where it is none of its column's
    type. `name`, `column`: as input_columns has them. `expression`: where it stands, if the column
    is not read under its name. -#}
{% macro input_value(name, column, expression=none) -%}
try_cast({{ expression or column }} as {{ replication_conflicts.input_columns(name)[column] }})
{%- endmacro %}
