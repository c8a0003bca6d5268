{#- The names in a list that are no columns, or stand there twice, as a list of [option, text].
    `owner`: whose columns they must be. -#}
{% macro column_list_problems(option, names, columns, owner='the article') -%}
    {%- set found = [] -%}
    {#- an article without columns has a problem of its own -#}
    {%- for name in names if columns -%}
        {%- if name is not string or name not in columns -%}
            {%- do found.append([
                option,
                "'" ~ name ~ "' is no column of " ~ owner ~ ', must be one of: '
                ~ columns | join(', ')
            ]) -%}
        {%- elif names.index(name) != loop.index0 -%}
            {%- do found.append([option, "'" ~ name ~ "' stands twice"]) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
