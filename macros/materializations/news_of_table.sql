{#- What a ledger has to take. A dict:
      has_news  whether its upstream model has rows for it that it has not taken
      last_run  the number of the last run whose rows it has: only those of later runs are news

    A table that is not made from the decision log takes what this run brings. Of one that is, this
    invocation has mostly noted what the log has for it (log_news); else the end of an earlier run
    has noted how far the table was (finished_runs). Either is behind the truth where a run has come
    to the table, and died: then the table itself says how far it is.

    newest_run          SQL expression, the last run of the table itself
    reads_newest_run    whether the model asks for it, be it made from the log or not -#}
{% macro news_of_table(news, newest_run, reads_newest_run) -%}
    {%- if news.by != 'run_sequence' -%}
        {%- set has_news = not news.model or replication_conflicts.ledger_has_news(news, 0) -%}
        {{ return({
            'has_news': has_news,
            'last_run': replication_conflicts._single_value(newest_run)
                if has_news and reads_newest_run
                else 0
        }) }}
    {%- endif -%}
    {%- set noted = replication_conflicts.log_news(model.name) -%}
    {%- set finished_run = (
        noted.finished_run if noted else replication_conflicts.finished_runs().get(model.name, 0)
    ) -%}
    {%- set has_news = (
        noted.has_news if noted else replication_conflicts.ledger_has_news(news, finished_run)
    ) -%}
    {%- if not has_news or (noted and noted.is_as_noted) -%}
        {{ return({'has_news': has_news, 'last_run': finished_run}) }}
    {%- endif -%}
    {%- set last_run = replication_conflicts._single_value(newest_run) -%}
    {{ return({
        'has_news': last_run <= finished_run
            or replication_conflicts.ledger_has_news(news, last_run),
        'last_run': last_run
    }) }}
{%- endmacro %}


{#- What an SQL expression is. -#}
{% macro _single_value(expression) -%}
    {{ return(run_query('select ' ~ expression).columns[0].values()[0]) }}
{%- endmacro %}
