{#- What article_shape said when the rows of an article were last published, from the view that
    carries it (shape_properties); an empty mapping before the first run, and while dbt parses. It
    costs no query: dbt has read the properties with the list of relations.

    item: as article_list gives it -#}
{% macro recorded_shape(item) -%}
    {%- set held = source('held', item.publication ~ '__' ~ item.article ~ '__versions') -%}
    {#- made behind the log, so that a run that was stopped has left it as it was -#}
    {%- set published = (
        adapter.get_relation(held.database, held.schema, item.publication ~ '__' ~ item.article)
        if execute
        else none
    ) -%}
    {%- set shape = {} -%}
    {%- if published is not none -%}
        {%- set bytes = ''.encode('utf-8') -%}
        {%- set properties = modules.re.findall(
            'replication_conflicts\\.shape\\.([0-9a-f]+)=([0-9a-f]*)', published.information or ''
        ) -%}
        {%- for what, text in properties -%}
            {%- do shape.update({
                bytes.fromhex(what).decode('utf-8'): bytes.fromhex(text).decode('utf-8')
            }) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(shape) }}
{%- endmacro %}
