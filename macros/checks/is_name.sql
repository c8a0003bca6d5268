{#- Whether a publication or an article may have a name: it becomes part of the names of models and tables. -#}
{% macro is_name(name) -%}
    {{ return(name is string and modules.re.fullmatch('[A-Za-z0-9_]+', name) is not none) }}
{%- endmacro %}
