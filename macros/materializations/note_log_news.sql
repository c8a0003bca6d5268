{#- A post-hook of the decision log: notes for every table that is made from it whether the log has
    anything newer, in one look at the log instead of one for each table. The note is a temporary
    view of this invocation (log_news reads it), and so needs connections that share a session. -#}
{% macro note_log_news() -%}
    {%- if not execute or not replication_conflicts.shares_session() -%}
        {{ return('') }}
    {%- endif -%}
    {%- set finished_runs = replication_conflicts.held_relation('finished_runs') -%}
    {%- set held_articles = replication_conflicts.made_relation('held_articles') -%}
    {%- set notes = [] -%}
    {%- if finished_runs is not none and held_articles is not none and not should_full_refresh() -%}
        {%- set conditions = {} -%}
        {%- for node in replication_conflicts.models_of_log() -%}
            {%- do conditions.update({node.name: node.config.news.where}) -%}
        {%- endfor -%}
        {%- set finished = run_query(
            'select model, run_sequence, (select max(log_sequence) from ' ~ held_articles
            ~ " where run_id = '" ~ invocation_id ~ "') as log_sequence from " ~ finished_runs
        ).rows | selectattr('model', 'in', conditions) | list -%}
        {%- set questions = [] -%}
        {%- for row in finished -%}
            {%- do questions.append(
                'count_if(run_sequence > ' ~ row['run_sequence'] ~ ' and ('
                ~ conditions[row['model']] ~ ')) > 0'
            ) -%}
        {%- endfor -%}
        {%- if finished -%}
            {%- set answers = run_query(
                'select ' ~ questions | join(', ') ~ ' from ' ~ this ~ ' where run_sequence > '
                ~ finished | map(attribute='run_sequence') | min
            ).rows[0] -%}
            {%- for row in finished -%}
                {%- do notes.append(
                    "('" ~ row['model'] ~ "', cast(" ~ row['run_sequence'] ~ ' as bigint), '
                    ~ (row['run_sequence'] == row['log_sequence']) ~ ', '
                    ~ answers[loop.index0] ~ ')'
                ) -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endif -%}
    {%- set nothing = "('', cast(0 as bigint), false, false)" -%}
    {%- do run_query(
        'create or replace temporary view ' ~ replication_conflicts.log_news_view()
        ~ ' as select * from values ' ~ (notes or [nothing]) | join(', ')
        ~ ' as noted (model, finished_run, is_as_noted, has_news)'
    ) -%}
    {{ return('') }}
{%- endmacro %}
