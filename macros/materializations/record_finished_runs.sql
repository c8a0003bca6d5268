{#- At the end of an invocation: notes up to which run the tables made from the decision log have
    taken all of it, for those that this invocation has built, or for which it has found nothing
    new; what is known of others stays. That is never more than the run itself has seen in the log
    or added to it: what another run adds meanwhile is that run's to note.

    results: what dbt gives to on-run-end, one entry per node -#}
{% macro record_finished_runs(results) -%}
    {%- set held_articles = (
        replication_conflicts.made_relation('held_articles') if execute else none
    ) -%}
    {%- set built = (
        results | selectattr('status', 'equalto', 'success') | map(attribute='node.unique_id')
        | list
    ) -%}
    {#- the number of this run is one of the log only where the log has taken it -#}
    {%- if held_articles is none or 'model.replication_conflicts.change_outcomes' not in built -%}
        {{ return('') }}
    {%- endif -%}
    {%- set last_run = run_query(
        'select greatest(max(log_sequence), (select max(run_sequence) from '
        ~ replication_conflicts.made_relation('change_queue') ~ " where run_id = '"
        ~ invocation_id ~ "' and intake = 'taken')) from " ~ held_articles
        ~ " where run_id = '" ~ invocation_id ~ "'"
    ).columns[0].values()[0] -%}
    {%- set before = replication_conflicts.finished_runs() -%}
    {%- set now = dict(before) -%}
    {%- set models = replication_conflicts.models_of_log() -%}
    {%- set left_out = models | rejectattr('unique_id', 'in', built) | list -%}
    {%- set up_to_date = replication_conflicts.tables_without_news() if left_out else [] -%}
    {%- for node in models if last_run and (node.unique_id in built or node.name in up_to_date) -%}
        {%- do now.update({node.name: last_run | int}) -%}
    {%- endfor -%}
    {%- if now != before -%}
        {%- set noted = [] -%}
        {%- for model, run_sequence in now.items() -%}
            {%- do noted.append("('" ~ model ~ "', cast(" ~ run_sequence ~ ' as bigint))') -%}
        {%- endfor -%}
        {%- set finished_runs = source('held', 'finished_runs') -%}
        {%- do run_query('drop table if exists ' ~ finished_runs) -%}
        {%- do run_query(
            'create table ' ~ finished_runs ~ ' ' ~ replication_conflicts.scratch_format()
            ~ ' as select * from values ' ~ noted | join(', ') ~ ' as noted (model, run_sequence)'
        ) -%}
    {%- endif -%}
    {{ return('') }}
{%- endmacro %}
