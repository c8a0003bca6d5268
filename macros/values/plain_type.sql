{#- A column's type for comparison with another one: as tables have it, without spaces. -#}
{% macro plain_type(data_type) -%}
    {{ return(replication_conflicts.unlimited_type(data_type) | lower | replace(' ', '')) }}
{%- endmacro %}
