{#- Whether the upstream of a ledger model has anything for its table: of the decision log, what is
    newer than the last run that the table has taken; of a scratch table, what is of this run; of
    anything else, all. -#}
{% macro ledger_has_news(news, last_run) -%}
    {#- 'true' first: Spark reads `where (...)` after a table's name as an alias with a column
        list -#}
    {%- set conditions = ['true', '(' ~ news.where ~ ')'] -%}
    {%- if news.by == 'run_sequence' -%}
        {%- do conditions.append('run_sequence > ' ~ last_run) -%}
    {%- elif news.by == 'run_id' -%}
        {%- do conditions.append("run_id = '" ~ invocation_id ~ "'") -%}
    {%- endif -%}
    {%- for name in ([news.model] if news.model is string else news.model) -%}
        {%- set relation = replication_conflicts.input_relation(name) -%}
        {#- what is not made before it is needed has no news -#}
        {%- if load_relation(relation) is not none -%}
            {%- set query = (
                'select 1 from ' ~ relation ~ ' where ' ~ conditions | join(' and ') ~ ' limit 1'
            ) -%}
            {%- if run_query(query).rows | length > 0 -%}
                {{ return(true) }}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
