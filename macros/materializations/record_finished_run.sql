{#- At the end of an invocation: notes up to which run the tables made from the decision log have taken all of it, where this
    invocation has built every one of them. That is never more than the run itself has seen in the log or added to it: what
    another run adds meanwhile is that run's to note.

    results: what dbt gives to on-run-end, one entry per node -#}
{% macro record_finished_run(results) -%}
    {%- set held_articles = replication_conflicts._made_relation('held_articles') if execute else none -%}
    {%- if held_articles is none -%}
        {{ return('') }}
    {%- endif -%}
    {%- set built = results | selectattr('status', 'equalto', 'success') | map(attribute='node.unique_id') | list -%}
    {%- set names = [] -%}
    {%- for node in replication_conflicts.models_of_log() -%}
        {%- if node.unique_id not in built -%}
            {{ return('') }}
        {%- endif -%}
        {%- do names.append(node.name) -%}
    {%- endfor -%}
    {%- set last_run = run_query(
        'select greatest(max(log_sequence), (select max(run_sequence) from '
        ~ replication_conflicts._made_relation('change_queue') ~ " where run_id = '" ~ invocation_id
        ~ "' and intake = 'taken')) from " ~ held_articles ~ " where run_id = '" ~ invocation_id ~ "'"
    ).columns[0].values()[0] or 0 -%}
    {#- less, too: a log that was begun anew counts from 1 -#}
    {%- if names and last_run != replication_conflicts.finished_run(names) -%}
        {%- set finished_runs = source('held', 'finished_runs') -%}
        {%- do run_query('drop table if exists ' ~ finished_runs) -%}
        {%- do run_query(
            'create table ' ~ finished_runs ~ ' ' ~ replication_conflicts.scratch_format()
            ~ " as select explode(array('" ~ names | join("', '") ~ "')) as model, cast(" ~ last_run
            ~ ' as bigint) as run_sequence'
        ) -%}
    {%- endif -%}
    {{ return('') }}
{%- endmacro %}


{#- A relation that this project has made, now; none where there is none. -#}
{% macro _made_relation(identifier) -%}
    {{ return(adapter.get_relation(target.database, target.schema, identifier)) }}
{%- endmacro %}
