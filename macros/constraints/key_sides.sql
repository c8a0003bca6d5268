{#- The ends of unique and foreign keys that rows of one article have, as a list of {id, role,
    columns, own_types, types}: the key, the `role` that a row has in it ('unique'; 'child', it
    refers to the value; 'parent', it holds the value), its columns in the article, the types of the
    article's columns, and the types as the key writes them: those of the key that is referred to,
    so that both sides write a value alike.

    item: an article in the form of article_list -#}
{% macro key_sides(item) -%}
    {%- set sides = [] -%}
    {%- set articles = item.settings.articles -%}
    {%- set own_types = item.options.columns -%}
    {%- for key in replication_conflicts.key_constraints(item.publication) -%}
        {%- if key.article == item.article and key.kind == 'unique' -%}
            {%- do sides.append({
                'id': key.id,
                'role': 'unique',
                'columns': key.columns,
                'own_types': own_types,
                'types': own_types
            }) -%}
        {%- elif key.kind == 'foreign_key' -%}
            {%- set parent_types = articles[key.references].columns -%}
            {%- if key.article == item.article -%}
                {%- set types = {} -%}
                {%- for column in key.columns -%}
                    {%- do types.update({column: parent_types[key.to[loop.index0]]}) -%}
                {%- endfor -%}
                {%- do sides.append({
                    'id': key.id,
                    'role': 'child',
                    'columns': key.columns,
                    'own_types': own_types,
                    'types': types
                }) -%}
            {%- endif -%}
            {%- if key.references == item.article -%}
                {%- do sides.append({
                    'id': key.id,
                    'role': 'parent',
                    'columns': key.to,
                    'own_types': own_types,
                    'types': own_types
                }) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(sides) }}
{%- endmacro %}
