{#- The last run of which a table made from the decision log has taken everything, as far as the end of a run has noted it; 0 where
    it has not. Such a table need not be asked how far it is where the log has nothing newer: opening a Delta table takes most
    of the time of a run without news.

    name: of the model; a list of names asks for the last run that all of them have taken -#}
{% macro finished_run(name) -%}
    {%- set finished_runs = replication_conflicts.held_relation('finished_runs') -%}
    {%- set names = [name] if name is string else name -%}
    {%- if finished_runs is none -%}
        {{ return(0) }}
    {%- endif -%}
    {{ return(run_query(
        'select if(count(distinct model) = ' ~ names | length ~ ', min(run_sequence), 0) from ' ~ finished_runs
        ~ ' where ' ~ replication_conflicts.is_one_of('model', names)
    ).columns[0].values()[0]) }}
{%- endmacro %}
