{#- The constraint that a row breaks by itself, as a struct of the error's `code` and the constraint's `name`; NULL where it breaks
    none. Columns that may not be NULL come first (515), then checks (547; one that gives NULL passes), then the row filter (550:
    a subscriber changes only what lies in its partition, an insert afterwards, an update or a delete before). Over the columns
    publication, article, node and operation.

    row: the row as the change leaves it, map<string,string>, NULL for a delete; held_row: as it was held before, NULL: no row -#}
{% macro row_failure(row, held_row) -%}
{%- set failures = [] -%}
{%- for item in replication_conflicts.article_list() -%}
    {%- set found = replication_conflicts._row_failures_of_article(item, row, held_row) -%}
    {%- if found -%}
        {%- do failures.append({'item': item, 'found': found}) -%}
    {%- endif -%}
{%- endfor -%}
{%- if not failures -%}
cast(null as {{ replication_conflicts.failure_type() }})
{%- else -%}
case
        {%- for one in failures %}
        when publication = '{{ one.item.publication }}' and article = '{{ one.item.article }}'
            then case
                {%- for failure in one.found %}
                when {{ failure.condition }} then {{ replication_conflicts.failure(failure.code, failure.name) }}
                {%- endfor %}
            end
        {%- endfor %}
    end
{%- endif -%}
{%- endmacro %}


{#- A failure as a struct. -#}
{% macro failure(code, name) -%}
struct({{ code }} as code, '{{ name | replace("\\", "\\\\") | replace("'", "\\'") }}' as name)
{%- endmacro %}


{#- The SQL type of a failure. -#}
{% macro failure_type() -%}
    {{ return('struct<code:int,name:string>') }}
{%- endmacro %}


{#- What can be wrong with a row of one article, in the order in which it counts: a list of {condition, code, name}. -#}
{% macro _row_failures_of_article(item, row, held_row) -%}
    {%- set found = [] -%}
    {%- for column in item.options.get('not_null') or [] -%}
        {%- do found.append({
            'condition': row ~ ' is not null and ' ~ row ~ "['" ~ column ~ "'] is null",
            'code': 515,
            'name': 'column ' ~ column ~ ' may not be NULL'
        }) -%}
    {%- endfor -%}
    {%- for name, expression in (item.options.get('check') or {}).items() -%}
        {%- do found.append({
            'condition': row ~ ' is not null and not coalesce('
                ~ replication_conflicts.row_expression(expression, item.options.columns, row) ~ ', true)',
            'code': 547,
            'name': 'check ' ~ name
        }) -%}
    {%- endfor -%}
    {%- for subscriber, expression in (item.options.get('row_filter') or {}).items() -%}
        {%- do found.append({
            'condition': "node = '" ~ subscriber ~ "' and if(" ~ held_row ~ ' is not null, not coalesce('
                ~ replication_conflicts.row_expression(expression, item.options.columns, held_row) ~ ', false), '
                ~ row ~ ' is not null and not coalesce('
                ~ replication_conflicts.row_expression(expression, item.options.columns, row) ~ ', false))',
            'code': 550,
            'name': 'row filter of ' ~ subscriber
        }) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
