{#- Gives the tables of published rows and of conflicts what their articles have got since the last
    run: columns, with no value in any row, and wider types. Before anything is decided, for
    decisions read the published rows; after everything is checked, and only by a run that decides:
    a hook of the first model.
    A run that dies behind it leaves tables with a column more, or a wider one, and the next
    one finds it. -#}
{% macro alter_article_tables() -%}
    {%- for item in replication_conflicts.article_list() if not flags.FULL_REFRESH -%}
        {%- set before = replication_conflicts.recorded_shape(item) -%}
        {%- set now = replication_conflicts.article_shape(item.settings, item.options) -%}
        {%- set changed = {} -%}
        {%- for column, data_type in item.options.columns.items() if before -%}
            {%- set subject = 'column.' ~ column | lower -%}
            {%- if before.get(subject) != now[subject] -%}
                {%- do changed.update({column: data_type}) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- if changed -%}
            {%- set held = source('held', item.publication ~ '__' ~ item.article ~ '__versions') -%}
            {%- set conflicts = 'conflict_' ~ item.publication ~ '_' ~ item.article -%}
            {%- for name in [held.identifier, conflicts] -%}
                {%- do replication_conflicts._alter_table(
                    adapter.get_relation(held.database, held.schema, name), changed
                ) -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
{%- endmacro %}


{#- The statements for one table; what it has already stays. -#}
{% macro _alter_table(relation, columns) -%}
    {%- set present = {} -%}
    {%- for column in (adapter.get_columns_in_relation(relation) if relation else []) -%}
        {%- do present.update({
            column.name | lower: replication_conflicts.plain_type(column.dtype)
        }) -%}
    {%- endfor -%}
    {%- set added, widened = [], {} -%}
    {%- for column, data_type in columns.items() if relation -%}
        {%- if column | lower not in present -%}
            {%- do added.append(
                adapter.quote(column) ~ ' ' ~ replication_conflicts.unlimited_type(data_type)
            ) -%}
        {%- elif present[column | lower] != replication_conflicts.plain_type(data_type) -%}
            {%- do widened.update({column: data_type}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if added -%}
        {%- do run_query(
            'alter table ' ~ relation ~ ' add columns (' ~ added | join(', ') ~ ')'
        ) -%}
    {%- endif -%}
    {%- if widened -%}
        {%- do run_query(
            'alter table ' ~ relation ~ " set tblproperties ('delta.enableTypeWidening' = 'true')"
        ) -%}
    {%- endif -%}
    {%- for column, data_type in widened.items() -%}
        {%- do run_query(
            'alter table ' ~ relation ~ ' alter column ' ~ adapter.quote(column)
            ~ ' type ' ~ data_type
        ) -%}
    {%- endfor -%}
{%- endmacro %}
