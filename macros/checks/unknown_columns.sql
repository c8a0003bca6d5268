{#- The names in a list that are no columns, as a list of [option, text]. `owner`: whose columns they must be. -#}
{% macro unknown_columns(option, names, columns, owner='the article') -%}
    {%- set found = [] -%}
    {#- an article without columns has a problem of its own -#}
    {%- for name in names if columns and (name is not string or name not in columns) -%}
        {%- do found.append([
            option, "'" ~ name ~ "' is no column of " ~ owner ~ ', must be one of: ' ~ columns | join(', ')
        ]) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}
