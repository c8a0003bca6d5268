{#- The number of this run: one more than the last run in the decision log, 1 for the first. A
    full refresh counts on, so that what is older than the rebuilt log can be told from what was
    made from it. -#}
{% macro run_sequence() -%}
    {%- set log = replication_conflicts.held_relation('change_outcomes') if execute else none -%}
    {%- if log is none -%}
        {{ return(1) }}
    {%- endif -%}
    {%- set last = run_query('select max(run_sequence) from ' ~ log).columns[0].values()[0] -%}
    {{ return((last or 0) | int + 1) }}
{%- endmacro %}
