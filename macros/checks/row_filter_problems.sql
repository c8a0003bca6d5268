{#- Row filters that are others than those by which earlier runs have sent rows to a subscriber; a
    list of texts. A full refresh decides everything anew, with what there is now.
    filters: one {publication, article, subscriber, value: the earlier expression, none for every
    row} for each that differs.
    Rule: documented for filters of merge articles, a change of one needs a new snapshot and
    subscriptions that start anew: rows that by it lie otherwise are neither sent nor taken
    away. -#}
{% macro row_filter_problems(filters, subscriptions) -%}
    {%- set problems = [] -%}
    {%- set items = (
        [] if replication_conflicts.is_decided_anew() else replication_conflicts.article_list()
    ) -%}
    {%- for item in items -%}
        {%- set subscribers = (
            subscriptions | selectattr('publication', 'equalto', item.publication)
            | map(attribute='subscriber') | list
        ) -%}
        {%- for row in filters
            if [row.publication, row.article] == [item.publication, item.article]
            and row.subscriber in subscribers
        -%}
            {%- set now = (item.options.get('row_filter') or {}).get(row.subscriber) -%}
            {%- do problems.extend(
                replication_conflicts.problem_texts(item.publication, item.article, [[
                    'row_filter',
                    "that of '" ~ row.subscriber ~ "' was "
                    ~ replication_conflicts._said_filter(row.value) ~ ', is '
                    ~ replication_conflicts._said_filter(now)
                    ~ '. Rows that by it lie otherwise now would be neither sent nor taken away.'
                    ~ ' Set it back under vars: publications: in dbt_project.yml; or let a '
                    ~ 'subscription of another name start with it; or,'
                    ~ ' where the feeds still have all changes, decide everything anew, dbt build '
                    ~ '--full-refresh, and let the subscriber start anew.'
                ]])
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}


{% macro _said_filter(expression) -%}
    {{ return('none (every row)' if expression is none else "'" ~ expression ~ "'") }}
{%- endmacro %}
