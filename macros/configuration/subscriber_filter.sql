{#- The row filter that an article has for a subscriber, as SQL over the columns
    publication, article and subscriber: the text of its expression, NULL where the
    subscriber gets every row. -#}
{% macro subscriber_filter() -%}
    {%- set branches = [] -%}
    {%- for item in replication_conflicts.article_list() -%}
        {%- for subscriber, expression in (item.options.get('row_filter') or {}).items() -%}
            {%- do branches.append(
                "when publication = '" ~ item.publication ~ "' and article = '" ~ item.article
                ~ "' and subscriber = " ~ replication_conflicts.sql_text(subscriber) ~ ' then '
                ~ replication_conflicts.sql_text(expression)
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- if branches -%}
case {{ branches | join(' ') }} end
    {%- else -%}
cast(null as string)
    {%- endif -%}
{%- endmacro %}
