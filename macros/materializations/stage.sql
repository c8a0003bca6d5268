{#- The table that a stage of the round has written. -#}
{% macro stage(name) -%}
    {{ return(api.Relation.create(
        database=this.database,
        schema=this.schema,
        identifier=this.identifier ~ '__' ~ name,
        type='table'
    )) }}
{%- endmacro %}
