{#- What is wrong with the columns of an article, a mapping of name to type; a list of [option,
    text].
    is_merged: whether the publication is one of merge replication -#}
{% macro column_problems(columns, is_merged) -%}
    {%- set reserved = replication_conflicts.reserved_columns(is_merged) -%}
    {%- set found = [] -%}
    {%- set names = {} -%}
    {%- set good_types = [] -%}
    {#- the rest of a type that YAML has cut is no column: what is wrong is said of the type -#}
    {%- for column, data_type in columns.items()
        if data_type is not none or not replication_conflicts.is_cut_type(column)
    -%}
        {%- set name = column | string | lower -%}
        {%- if column is not string or not modules.re.fullmatch('\\w+', column) -%}
            {%- do found.append([
                'columns',
                "'" ~ column
                ~ "' must consist of letters, digits and _; in quotes where YAML takes it for "
                ~ "something else"
            ]) -%}
        {%- elif name in reserved -%}
            {%- do found.append([
                'columns',
                "'" ~ column
                ~ "' is a column of the feed contract or of the version metadata; give the column "
                ~ "another name"
            ]) -%}
        {%- elif name in names -%}
            {%- do found.append([
                'columns', "'" ~ column ~ "' stands twice; upper and lower case are the same"
            ]) -%}
        {%- endif -%}
        {%- do names.update({name: column}) -%}
        {%- set is_good = (
            data_type in good_types or replication_conflicts.is_column_type(data_type)
        ) -%}
        {%- if is_good -%}
            {%- do good_types.append(data_type) -%}
        {%- elif replication_conflicts.is_cut_type(data_type) -%}
            {%- do found.append([
                'columns',
                "'" ~ column ~ "' has the type '" ~ data_type
                ~ "': YAML has ended it at a comma, put it in quotes"
            ]) -%}
        {%- else -%}
            {%- do found.append([
                'columns',
                "'" ~ column ~ "' has the type '" ~ data_type
                ~ "', must be one of: string, varchar(n), char(n), boolean, "
                ~ 'tinyint, smallint, int, bigint, float, double, decimal(p,s), date, timestamp, '
                ~ 'timestamp_ntz, binary, '
                ~ 'array<t>, map<string,t>, struct<name:t>, in lower case'
            ]) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
