{#- A pre-hook of the decision log: drops the notes of how far the tables made from it are
    (finished_runs) where the log is about to be made anew. They speak of the log before:
    with numbers that the new one may reach again, they would say that a table has taken what
    it has not. -#}
{% macro forget_finished_runs() -%}
    {%- if execute and not replication_conflicts.takes_only_news() -%}
        {%- set finished_runs = replication_conflicts.held_relation('finished_runs') -%}
        {%- if finished_runs is not none -%}
            {%- do adapter.drop_relation(finished_runs) -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
