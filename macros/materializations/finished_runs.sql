{#- The last run of which each table made from the decision log has taken everything, as far as ends
    of runs have noted it; a mapping of the model's name to the number of the run. Such a table need
    not be asked how far it is where the log has nothing newer: opening a Delta table takes most of
    the time of a run without news. -#}
{% macro finished_runs() -%}
    {%- set noted = {} -%}
    {%- set relation = replication_conflicts.held_relation('finished_runs') if execute else none -%}
    {%- if relation is not none -%}
        {%- for row in run_query('select model, run_sequence from ' ~ relation).rows -%}
            {%- do noted.update({row['model']: row['run_sequence'] | int}) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(noted) }}
{%- endmacro %}
