{#- A relation of this project's schema as it is now, by its name; none where there is none. Not as
    the last run left it: see held_relation. -#}
{% macro made_relation(identifier) -%}
    {{ return(adapter.get_relation(target.database, target.schema, identifier)) }}
{%- endmacro %}
