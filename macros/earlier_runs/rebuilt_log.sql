{#- The decision log that a full refresh replaces; none in every other run, and where there
    is none yet. -#}
{% macro rebuilt_log() -%}
    {%- if not flags.FULL_REFRESH -%}
        {{ return(none) }}
    {%- endif -%}
    {{ return(replication_conflicts.held_relation('change_outcomes')) }}
{%- endmacro %}
