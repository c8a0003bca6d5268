{#- What is wrong with the row of a report about a refused command, as a text; NULL: nothing. Over
    the columns publication, article and refused_row, which is NULL where the subscriber holds no
    row. A row that the publisher could not publish as it is must not be taken: a value that its
    column cannot hold would become NULL, and so would a column that is not named. -#}
{% macro report_problem() -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.article_list() -%}
    {%- do branches.append({
        'item': item,
        'value': replication_conflicts._report_problem_of_article(item.options.columns)
    }) -%}
{%- endfor -%}
{{ replication_conflicts.by_article(branches, 'cast(null as string)') }}
{%- endmacro %}


{#- The same for one article. -#}
{% macro _report_problem_of_article(columns) -%}
case
    when array_sort(map_keys(refused_row)) <> array_sort(
        array('{{ columns | join("', '") }}')
    )
        then 'the row must have the columns {{ columns | join(', ') }}'
    {%- for column, data_type in columns.items() %}
    {%- set text = "refused_row['" ~ column ~ "']" %}
    when {{ replication_conflicts.cannot_hold(text, data_type) | indent(8) }}
        then concat(
            "column '{{ column }}' cannot hold '", {{ text }}, "', it is {{ data_type }}"
        )
    {%- endfor %}
end
{%- endmacro %}
