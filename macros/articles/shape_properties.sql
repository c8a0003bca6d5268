{#- article_shape as properties of a view, names and texts in hexadecimal: where Spark lists
    properties, a comma or a bracket would end one, and it hides the text of any in which a word
    like `url`, `token` or `password` occurs, be it the name of a column.

    shape: a mapping of what to text -#}
{% macro shape_properties(shape) -%}
    {%- set properties = {} -%}
    {%- for what, text in shape.items() -%}
        {%- do properties.update({
            'replication_conflicts.shape.' ~ what.encode('utf-8').hex(): text.encode('utf-8').hex()
        }) -%}
    {%- endfor -%}
    {{ return(properties) }}
{%- endmacro %}
