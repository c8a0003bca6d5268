{#- Gives the tables of published rows and of conflicts the columns that their articles have got since the last run, with no value in
    any row. Before anything is decided, for decisions read the published rows; after everything is checked, and only by a run
    that decides: a hook of the first model.
    A run that dies behind it leaves tables with a column more, and the next one finds it. -#}
{% macro add_columns() -%}
    {%- for item in replication_conflicts.article_list() if not flags.FULL_REFRESH -%}
        {%- set before = replication_conflicts.recorded_shape(item) -%}
        {%- set added = {} -%}
        {%- for column, data_type in item.options.columns.items() if before -%}
            {%- if 'replication_conflicts.column.' ~ column | lower not in before -%}
                {%- do added.update({column: data_type}) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- if added -%}
            {%- set held = source('held', item.publication ~ '__' ~ item.article ~ '__versions') -%}
            {%- for name in [held.identifier, 'conflict_' ~ item.publication ~ '_' ~ item.article] -%}
                {%- do replication_conflicts._add_to_table(adapter.get_relation(held.database, held.schema, name), added) -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
{%- endmacro %}


{#- The statement for one table; what it has already stays. -#}
{% macro _add_to_table(relation, columns) -%}
    {%- set present = adapter.get_columns_in_relation(relation) | map(attribute='name') | map('lower') | list if relation else [] -%}
    {%- set lacking = [] -%}
    {%- for column, data_type in columns.items() if column | lower not in present -%}
        {%- do lacking.append(adapter.quote(column) ~ ' ' ~ data_type) -%}
    {%- endfor -%}
    {%- if relation and lacking -%}
        {%- do run_query('alter table ' ~ relation ~ ' add columns (' ~ lacking | join(', ') ~ ')') -%}
    {%- endif -%}
{%- endmacro %}
