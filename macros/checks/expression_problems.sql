{#- What Spark says against the checks and row filters of articles; a list of texts. Without this a
    mistake in one would only be met by the first change that is judged by it, in the middle of a
    statement that names no article. All are asked about at once: only where there is a mistake, one
    after the other. -#}
{% macro expression_problems() -%}
    {%- set conditions = replication_conflicts._conditions() -%}
    {%- set queries = (
        conditions | map(attribute='of_columns') | list
        + conditions | map(attribute='of_row') | list
    ) -%}
    {%- if
        not queries or replication_conflicts.analysis_error(queries | join('\nunion all\n')) is none
    -%}
        {{ return([]) }}
    {%- endif -%}
    {%- set problems = [] -%}
    {%- for condition in conditions -%}
        {%- set message = replication_conflicts._condition_problem(condition) -%}
        {%- if message is not none -%}
            {%- set found = [
                condition.option,
                "'" ~ condition.name ~ "' is '" ~ condition.expression ~ "': " ~ message
            ] -%}
            {%- do problems.extend(replication_conflicts.problem_texts(
                condition.item.publication, condition.item.article, [found]
            )) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}


{#- Every check and row filter: a list of {item, option, name, expression, of_columns, of_row}, the
    last two queries that can be analyzed only if it is a condition over the columns of its article,
    and one that can be judged row by row. -#}
{% macro _conditions() -%}
    {%- set conditions = [] -%}
    {%- for item in replication_conflicts.article_list() -%}
        {%- set columns = [] -%}
        {%- for column, data_type in item.options.columns.items() -%}
            {%- do columns.append('cast(null as ' ~ data_type ~ ') as ' ~ adapter.quote(column)) -%}
        {%- endfor -%}
        {%- for option in ['check', 'row_filter'] -%}
            {%- for name, expression in (item.options.get(option) or {}).items() -%}
                {%- do conditions.append({
                    'item': item,
                    'option': option,
                    'name': name,
                    'expression': expression,
                    'of_columns': 'select 1 from (select ' ~ columns | join(', ')
                        ~ ') as judged where (' ~ expression ~ ')',
                    'of_row': 'select 1 from (select cast(null as map<string,string>) as held_row) '
                        ~ 'where transform(array(held_row), judged_row -> '
                        ~ replication_conflicts.row_expression(
                            expression, item.options.columns, 'judged_row'
                        )
                        ~ ')[0]'
                }) -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(conditions) }}
{%- endmacro %}


{#- What is wrong with one of them, as a text; none where nothing is. -#}
{% macro _condition_problem(condition) -%}
    {%- set message = replication_conflicts.analysis_error(condition.of_columns) -%}
    {%- if message is not none -%}
        {{ return(message) }}
    {%- endif -%}
    {%- set message = replication_conflicts.analysis_error(condition.of_row) -%}
    {%- if message is none -%}
        {{ return(none) }}
    {%- endif -%}
    {{ return(
        'it must be a condition over the columns of one row, without subqueries. Spark: ' ~ message
    ) }}
{%- endmacro %}
