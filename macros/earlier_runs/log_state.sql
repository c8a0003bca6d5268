{#- The first and the last run in a decision log, as {first, last}; both none where the log
    has no rows. -#}
{% macro log_state(log) -%}
    {%- set row = run_query(
        'select min(run_sequence) as first_run, max(run_sequence) as last_run from ' ~ log
    ).rows[0] -%}
    {{ return({'first': row['first_run'], 'last': row['last_run']}) }}
{%- endmacro %}
