{#- Which subscribers have a row in their partition, as an array of names: of those for which the
    article has a row filter. NULL where it has none. A filter that gives NULL is outside; a row
    that is gone (NULL) lies in no partition. Over the columns publication and article. -#}
{% macro partition_members(row) -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.article_list() if item.options.get('row_filter') -%}
    {%- set members = [] -%}
    {%- for subscriber, expression in item.options.row_filter.items() -%}
        {%- do members.append(
            'if(' ~ row ~ ' is not null and '
            ~ replication_conflicts.row_expression(expression, item.options.columns, row) ~ ', '
            ~ replication_conflicts.sql_text(subscriber) ~ ', null)'
        ) -%}
    {%- endfor -%}
    {%- do branches.append({
        'item': item,
        'value': 'filter(array(' ~ members | join(', ')
            ~ '), partition_member -> partition_member is not null)'
    }) -%}
{%- endfor -%}
{{ replication_conflicts.by_article(branches, 'cast(null as array<string>)') }}
{%- endmacro %}
