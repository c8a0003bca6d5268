{#- Checks everything where an article lacks what models are written from: a model that meets such
    a configuration first would fail with an error about Jinja. Cheap, because every model about
    an article asks. -#}
{% macro check_shape(settings, article) -%}
    {%- set articles = settings.get('articles') if settings is mapping else none -%}
    {%- set options = articles.get(article) if articles is mapping else none -%}
    {%- set columns = options.get('columns') if options is mapping else none -%}
    {%- set primary_key = options.get('primary_key') if options is mapping else none -%}
    {%- if
        columns is not mapping
        or columns.values() | reject('string') | list
        or columns.keys() | reject('string') | list
        or not replication_conflicts.is_list(primary_key)
        or primary_key | reject('in', columns) | list
    -%}
        {%- do replication_conflicts.check_configuration() -%}
    {%- endif -%}
{%- endmacro %}
