{#- A value that people give, which a seed may have as text; NULL where it is none of that type. `data_type`: as input_columns says. -#}
{% macro input_value(column, data_type) -%}
try_cast({{ column }} as {{ data_type }})
{%- endmacro %}
