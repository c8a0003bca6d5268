{#- Whether the row of a report about a refused command could be published as it is: a value that
    its column cannot hold would become NULL, and so would a column that is not named. Never NULL.
    Over the columns publication, article and refused_row, which is NULL where the subscriber holds
    no row. -#}
{% macro is_publishable() -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.article_list() -%}
    {%- do branches.append({
        'item': item,
        'value': replication_conflicts._is_row_of_article(item.options.columns)
    }) -%}
{%- endfor -%}
(
    refused_row is null
    or {{ replication_conflicts.by_article(branches, 'false') | indent(4) }}
)
{%- endmacro %}


{#- The same for one article, and a row that is there. -#}
{% macro _is_row_of_article(columns) -%}
array_sort(map_keys(refused_row)) = array_sort(array('{{ columns | join("', '") }}'))
{%- for column, data_type in columns.items() %}
and not ({{ replication_conflicts.cannot_hold("refused_row['" ~ column ~ "']", data_type) }})
{%- endfor %}
{%- endmacro %}
