{#- The constraint that a row breaks by itself, as a struct of the error's `code` and the
    constraint's `name`; NULL where it breaks none. Columns that may not be NULL come first (515),
    then checks (547; one that gives NULL passes), then the row filter (550: a subscriber changes
    only what lies in its partition, an insert afterwards, an update or a delete before; an update
    of a row that is not there is an insert). Over the columns publication, article, node and
    operation, of articles with this `replication` or of all.

    row: the row as the change leaves it, map<string,string>, NULL for a delete; held_row: as it was
    held before, NULL: no row -#}
{% macro row_failure(row, held_row, replication=none) -%}
{%- set branches = [] -%}
{%- for item in replication_conflicts.article_list(replication) -%}
    {%- set failures = [] -%}
    {%- for found in replication_conflicts._row_failures_of_article(item, row, held_row) -%}
        {%- do failures.append(
            'when ' ~ found.condition ~ ' then '
            ~ replication_conflicts.failure(found.code, found.name)
        ) -%}
    {%- endfor -%}
    {%- if failures -%}
        {%- do branches.append({'item': item, 'value': 'case ' ~ failures | join(' ') ~ ' end'}) -%}
    {%- endif -%}
{%- endfor -%}
{{ replication_conflicts.by_article(
    branches, 'cast(null as ' ~ replication_conflicts.failure_type() ~ ')'
) }}
{%- endmacro %}


{#- What can be wrong with a row of one article, in the order in which it counts: a list of
    {condition, code, name}. -#}
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
                ~ replication_conflicts.row_expression(expression, item.options.columns, row)
                ~ ', true)',
            'code': 547,
            'name': 'check ' ~ name
        }) -%}
    {%- endfor -%}
    {%- for subscriber, expression in (item.options.get('row_filter') or {}).items() -%}
        {%- do found.append({
            'condition': 'node = ' ~ replication_conflicts.sql_text(subscriber)
                ~ " and if(operation <> 'insert' and " ~ held_row ~ ' is not null, not coalesce('
                ~ replication_conflicts.row_expression(expression, item.options.columns, held_row)
                ~ ', false), ' ~ row ~ ' is not null and not coalesce('
                ~ replication_conflicts.row_expression(expression, item.options.columns, row)
                ~ ', false))',
            'code': 550,
            'name': 'row filter of ' ~ subscriber
        }) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
