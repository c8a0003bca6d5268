{#- The decision log that this run goes on with: as the last run left it, or none before the first
    run and in a full refresh, which decides everything again. -#}
{% macro continued_log() -%}
    {%- if flags.FULL_REFRESH -%}
        {{ return(none) }}
    {%- endif -%}
    {{ return(replication_conflicts.held_relation('change_outcomes')) }}
{%- endmacro %}
