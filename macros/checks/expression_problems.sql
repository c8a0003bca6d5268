{#- What Spark says against the checks and row filters of articles; a list of texts. Without this a mistake in one would only be met by
    the first change that is judged by it, in the middle of a statement that names no article. An `explain` returns what is wrong with a
    query as text. -#}
{% macro expression_problems() -%}
    {%- set problems = [] -%}
    {%- for item in replication_conflicts.article_list() -%}
        {%- for option in ['check', 'row_filter'] -%}
            {%- for name, expression in (item.options.get(option) or {}).items() -%}
                {%- set explained = run_query(replication_conflicts._explained(item, expression)).columns[0].values() -%}
                {%- set plan = explained | join('\n') -%}
                {%- if plan.startswith('Error occurred') -%}
                    {#- the plan behind the message is of no use to anybody -#}
                    {%- set message = (plan.split('\n')[1:] | join(' ')).split(' SQLSTATE')[0] | trim -%}
                    {%- do problems.extend(replication_conflicts.problem_texts(item.publication, item.article, [[
                        option, "'" ~ name ~ "' is '" ~ expression ~ "': " ~ message
                    ]])) -%}
                {%- endif -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}


{#- A query that Spark need not run to say whether an expression is a condition over the columns of its article. It is given as a text:
    so even one that cannot be parsed is something that `explain` tells. -#}
{% macro _explained(item, expression) -%}
    {%- set columns = [] -%}
    {%- for column, data_type in item.options.columns.items() -%}
        {%- do columns.append('cast(null as ' ~ data_type ~ ') as ' ~ adapter.quote(column)) -%}
    {%- endfor -%}
    {%- set query = 'select 1 from (select ' ~ columns | join(', ') ~ ') where (' ~ expression ~ ')' -%}
    {{ return('explain execute immediate ' ~ replication_conflicts.sql_text(query)) }}
{%- endmacro %}
