{#- What Spark says against the checks and row filters of articles; a list of texts. Without this a mistake in one would only be met by
    the first change that is judged by it, in the middle of a statement that names no article. -#}
{% macro expression_problems() -%}
    {%- set problems = [] -%}
    {%- for item in replication_conflicts.article_list() -%}
        {%- for option in ['check', 'row_filter'] -%}
            {%- for name, expression in (item.options.get(option) or {}).items() -%}
                {%- set message = replication_conflicts.analysis_error(replication_conflicts._condition_query(item, expression)) -%}
                {%- if message is not none -%}
                    {%- do problems.extend(replication_conflicts.problem_texts(item.publication, item.article, [[
                        option, "'" ~ name ~ "' is '" ~ expression ~ "': " ~ message
                    ]])) -%}
                {%- endif -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}


{#- A query that says whether an expression is a condition over the columns of its article. -#}
{% macro _condition_query(item, expression) -%}
    {%- set columns = [] -%}
    {%- for column, data_type in item.options.columns.items() -%}
        {%- do columns.append('cast(null as ' ~ data_type ~ ') as ' ~ adapter.quote(column)) -%}
    {%- endfor -%}
    {{ return('select 1 from (select ' ~ columns | join(', ') ~ ') where (' ~ expression ~ ')') }}
{%- endmacro %}
