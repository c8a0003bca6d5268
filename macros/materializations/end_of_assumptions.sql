{#- Ends the query of what a round assumes of the one before. -#}
{% macro end_of_assumptions() -%}
    {{ return(';  -- end of assumptions\n') }}
{%- endmacro %}
