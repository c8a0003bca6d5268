{#- One expression for changes of queued updating and one for those of merge replication, over the column replication. Where no
    publication replicates by merge, the first alone: what is not there costs no time to plan. -#}
{% macro by_replication(queued, merge) -%}
{%- if replication_conflicts.is_merge() -%}
case replication
        when 'queued' then {{ queued | indent(4) }}
        else {{ merge | indent(4) }}
    end
{%- else -%}
{{ queued }}
{%- endif -%}
{%- endmacro %}
