{#- What is wrong with the options of an article that name columns of it: primary_key, not_null,
    unique.
    A list of [option, text]. -#}
{% macro key_problems(options, columns) -%}
    {%- set found = [] -%}
    {%- for option in ['primary_key', 'not_null']
        if replication_conflicts.is_list(options.get(option))
    -%}
        {%- do found.extend(
            replication_conflicts.column_list_problems(option, options[option], columns)
        ) -%}
    {%- endfor -%}
    {%- for key in (
        options['unique'] if replication_conflicts.is_list(options.get('unique')) else []
    ) -%}
        {%- if replication_conflicts.is_list(key) and not key -%}
            {%- do found.append(['unique', "'[]' is empty, must name a column"]) -%}
        {%- elif replication_conflicts.is_list(key) -%}
            {%- do found.extend(
                replication_conflicts.column_list_problems('unique', key, columns)
            ) -%}
        {%- else -%}
            {%- do found.append([
                'unique', "'" ~ key ~ "' must be a list: unique is a list of lists of columns"
            ]) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set primary_key = (
        options['primary_key'] if replication_conflicts.is_list(options.get('primary_key')) else []
    ) -%}
    {%- for column in primary_key if column is string and column in columns -%}
        {%- if modules.re.match('float|double|array|map|struct', columns[column] | string) -%}
            {%- do found.append([
                'primary_key',
                "'" ~ column ~ "' is of type " ~ columns[column]
                ~ '; the key must not have float, double, array, map or struct'
            ]) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
