{#- The number that this run has in its queue. An error when the decision log has gone on since:
    what the run has decided rests on rows that are no longer held. -#}
{% macro sequence_of_news(log, queue) -%}
    {%- set row = run_query(
        'select (select max(run_sequence) from ' ~ log ~ ') as last_run, '
        ~ 'max(run_sequence) as this_run from ' ~ queue ~ " where run_id = '" ~ invocation_id ~ "'"
    ).rows[0] -%}
    {%- if row['last_run'] is not none and row['last_run'] >= row['this_run'] -%}
        {{ exceptions.raise_compiler_error(replication_conflicts.overtaken_text()) }}
    {%- endif -%}
    {{ return(row['this_run']) }}
{%- endmacro %}
