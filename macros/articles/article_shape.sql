{#- What the rows and the decision log of an article were made for: its columns with their types,
    its primary key, whether it began with initial rows, and its publication's publisher and kind of
    replication; a mapping of what to text. The view of the published rows carries it
    (shape_properties), so that a later run notices a change: with another type of a column every
    change that is decided may look like another one, with another key rows are no longer found,
    initial rows that come later would never be read, and under another name of the publisher its
    changes are nobody's.

    settings: the options of the publication, options: those of the article -#}
{% macro article_shape(settings, options) -%}
    {%- set shape = {
        'primary_key': options.primary_key | join('|') | lower,
        'publisher': (settings or {}).get('publisher') | string,
        'replication': (settings or {}).get('replication') | string,
        'initial_snapshot': options.get('initial_snapshot', false) | string | lower
    } -%}
    {%- for column, data_type in options.columns.items() -%}
        {%- set written = data_type | lower | replace(' ', '') -%}
        {#- a metastore keeps 4,000 characters of a property -#}
        {%- do shape.update({
            'column.' ~ column | lower: written if written | length < 900 else local_md5(written)
        }) -%}
    {%- endfor -%}
    {{ return(shape) }}
{%- endmacro %}
