{#- Which subscribers have a row in their partition, as an array of names: of those for which the article has a row filter. NULL
    where it has none. A filter that gives NULL is outside; a row that is gone (NULL) lies in no partition. Over the columns
    publication and article. -#}
{% macro partition_members(row) -%}
{%- set filtered = [] -%}
{%- for item in replication_conflicts.article_list() if item.options.get('row_filter') -%}
    {%- do filtered.append(item) -%}
{%- endfor -%}
{%- if not filtered -%}
cast(null as array<string>)
{%- else -%}
case
        {%- for item in filtered %}
        when publication = '{{ item.publication }}' and article = '{{ item.article }}'
            then filter(array(
                {%- for subscriber, expression in item.options.row_filter.items() %}
                if({{ row }} is not null and {{ replication_conflicts.row_expression(expression, item.options.columns, row) }}, '{{ subscriber }}', null)
                {%- if not loop.last %},{% endif %}
                {%- endfor %}
            ), partition_member -> partition_member is not null)
        {%- endfor %}
    end
{%- endif -%}
{%- endmacro %}
