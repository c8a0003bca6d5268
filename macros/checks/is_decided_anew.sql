{#- Whether this run decides every change anew. A full refresh of a model or two leaves the
    decisions as they are. -#}
{% macro is_decided_anew() -%}
    {{ return(
        flags.FULL_REFRESH and 'model.replication_conflicts.change_outcomes' in selected_resources
    ) }}
{%- endmacro %}
