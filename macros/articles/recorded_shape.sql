{#- What article_shape said when the rows of an article were last published, from the view that carries it; an empty mapping before
    the first run, and while dbt parses. It costs no query: dbt has read the properties with the list of relations.

    item: as article_list gives it -#}
{% macro recorded_shape(item) -%}
    {%- set held = source('held', item.publication ~ '__' ~ item.article ~ '__versions') -%}
    {#- made behind the log, so that a run that was stopped has left it as it was -#}
    {%- set published = adapter.get_relation(held.database, held.schema, item.publication ~ '__' ~ item.article) if execute else none -%}
    {%- set shape = {} -%}
    {%- if published is not none -%}
        {%- set properties = modules.re.findall('(replication_conflicts\\.[\\w.]+)=([^,\\]]*)', published.information or '') -%}
        {%- for property, text in properties -%}
            {%- do shape.update({property: text}) -%}
        {%- endfor -%}
        {#- of the view itself -#}
        {%- do shape.pop('replication_conflicts.definition', none) -%}
    {%- endif -%}
    {{ return(shape) }}
{%- endmacro %}
