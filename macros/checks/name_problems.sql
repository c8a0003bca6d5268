{#- What is wrong with the name of a publication or an article, which becomes part of the names of
    models and tables; a list of [none, text]. -#}
{% macro name_problems(name) -%}
    {%- if name is string and modules.re.fullmatch('[A-Za-z0-9_]+', name) is not none -%}
        {{ return([]) }}
    {%- endif -%}
    {{ return([[none,
        'its name must consist of letters (a to z, upper or lower case), digits and _; in quotes '
        ~ 'where YAML takes it for something else'
    ]]) }}
{%- endmacro %}
