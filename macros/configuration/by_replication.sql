{#- One expression for changes of queued updating and one for those of merge replication, over the column replication. Where no
    publication replicates in one of the two ways, the other alone: what is not there costs no time to plan. -#}
{% macro by_replication(queued, merge) -%}
{%- if not replication_conflicts.is_merge() -%}
{{ queued }}
{%- elif not replication_conflicts.is_queued() -%}
{{ merge }}
{%- else -%}
case replication
        when 'queued' then {{ queued | indent(4) }}
        else {{ merge | indent(4) }}
    end
{%- endif -%}
{%- endmacro %}
