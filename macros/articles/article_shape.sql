{#- What the rows and the decision log of an article were made for: its columns with their types, in their order, its primary key,
    and its publication's publisher and kind of replication; a mapping of property to text. The view of the published rows carries
    it, so that a later run notices a change: with other columns every change that is decided looks like another one, with another
    key rows are no longer found, and under another name of the publisher its changes are nobody's.
    A comma or a bracket would end the property where Spark lists the properties of a view, and a metastore keeps 4,000 characters
    of one.

    settings: the options of the publication, options: those of the article -#}
{% macro article_shape(settings, options) -%}
    {%- set columns = [] -%}
    {%- for column, data_type in options.columns.items() -%}
        {%- do columns.append((column ~ ' ' ~ data_type) | lower | replace(',', ';')) -%}
    {%- endfor -%}
    {%- set publisher = (settings or {}).get('publisher') | string | replace(',', ';') | replace(']', ')') -%}
    {{ return({
        'replication_conflicts.columns': columns | join('|') if columns | join('|') | length < 4000 else local_md5(columns | join('|')),
        'replication_conflicts.primary_key': options.primary_key | join('|') | lower,
        'replication_conflicts.publisher': publisher,
        'replication_conflicts.replication': (settings or {}).get('replication') | string
    }) }}
{%- endmacro %}
