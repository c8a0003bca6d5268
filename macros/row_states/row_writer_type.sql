{#- The SQL type of row_writer. -#}
{% macro row_writer_type() -%}
    {{ return(
        'struct<priority:decimal(5,2),transaction_position:bigint,queue_position:bigint,'
        ~ 'node:string,number:bigint,change_id:string>'
    ) }}
{%- endmacro %}
