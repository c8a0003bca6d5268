{#- Ends a statement of a round. `of`: a list of values of `independent_by`; a round that looks at
    none of them leaves the stage empty. -#}
{% macro end_of_stage(name, of=[]) -%}
    {{ return(';  -- end of stage: ' ~ name ~ (' of ' ~ of | join(', ') if of else '') ~ '\n') }}
{%- endmacro %}
