{#- Which columns the relations lack that people and subscribers fill; a list of texts. `relations`:
    by their names. -#}
{% macro input_column_problems(relations) -%}
    {%- set problems = [] -%}
    {%- for name, relation in relations.items() -%}
        {%- set found = (
            adapter.get_columns_in_relation(relation) | map(attribute='name') | map('lower') | list
        ) -%}
        {%- set columns = replication_conflicts.input_columns(name) -%}
        {%- for column, data_type in columns.items() if column not in found -%}
            {%- do problems.append(
                name ~ ": the column '" ~ column ~ "' (" ~ data_type
                ~ ') is missing. Add it, NULL or empty where there is nothing to say; '
                ~ 'the columns are ' ~ columns | join(', ') ~ '.'
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(problems) }}
{%- endmacro %}
