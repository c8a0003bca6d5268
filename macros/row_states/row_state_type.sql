{#- The SQL type of row_state. -#}
{% macro row_state_type() -%}
    {{ return(
        'struct<version:string,node:string,change_id:string,is_deleted:boolean,'
        ~ 'is_of_this_run:boolean,lineage:map<string,bigint>,'
        ~ 'merge_version:' ~ replication_conflicts.merge_version_type()
        ~ ',row:map<string,string>>'
    ) }}
{%- endmacro %}
