{#- The SQL type of resolution. -#}
{% macro resolution_type() -%}
    {{ return(
        'struct<winner:string,column_name:string,value:string,is_computed:boolean,'
        ~ 'is_waiting:boolean,is_overflow:boolean>'
    ) }}
{%- endmacro %}
