{#- The first and the last run in a decision log, as {first, last}; both none where the log has no rows. -#}
{% macro log_state(log) -%}
    {%- set row = run_query('select min(run_sequence), max(run_sequence) from ' ~ log).rows[0] -%}
    {{ return({'first': row[0], 'last': row[1]}) }}
{%- endmacro %}
